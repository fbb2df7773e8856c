/** The commands that make and delete one: members, which the API shows only within their owner, are added to it. */
export const verbsOf = ({ path }: { readonly path: string | null }) =>
  path === null
    ? ({ create: 'add', created: 'added', delete: 'remove' } as const)
    : ({ create: 'create', created: 'created', delete: 'delete' } as const)

/** The commands of each resource. */
export const RESOURCE_COMMANDS: readonly {
  readonly name: string
  readonly resource: string
  readonly summary: string
  readonly alias?: string
}[] = [
  { name: 'tenant', resource: 'tenants', summary: 'tenants' },
  { name: 'extension', resource: 'extensions', summary: 'extensions', alias: 'ext' },
  { name: 'did', resource: 'dids', summary: 'DID numbers' },
  { name: 'queue', resource: 'queues', summary: 'call queues' },
  { name: 'trunk', resource: 'trunks', summary: 'carriers for incoming and outgoing calls' },
  { name: 'rate', resource: 'rates', summary: 'rates' },
  { name: 'gateway', resource: 'sms_gateways', summary: 'SMS gateways' },
  { name: 'cdr', resource: 'cdrs', summary: 'call records' },
  { name: 'device', resource: 'devices', summary: 'telephones of extensions' },
  { name: 'agent', resource: 'agents', summary: 'extensions that answer the calls of queues' },
  { name: 'route', resource: 'routes', summary: 'where calls to DIDs go' },
]

/** Returns the command of a resource; messages are listed with `trunkline sms list`. */
export const commandOf = (resource: { readonly name: string }): string =>
  RESOURCE_COMMANDS.find(each => each.resource === resource.name)?.name ?? 'sms'
