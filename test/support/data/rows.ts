import { isJsonObject, parseJson } from '../../../core/json.ts'
import type { Page, PageQuery, Records } from '../../../core/ports/records.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Row } from '../../../core/resources/resource.ts'

/** Stored values of each resource, as the core passes them to the storage; `n` keeps unique ones distinct. */
const ROWS = {
  tenants: (n: number) => ({
    name: `Tenant ${n}`,
    slug: `tenant-${n}`,
    domain: `t${n}.example.com`,
    status: 'active',
    timezone: 'Europe/Kyiv',
    max_extensions: 1000,
    settings: null,
  }),
  extensions: (n: number) => ({
    tenant_id: 1,
    extension_number: String(100 + n),
    display_name: `Desk ${n}`,
    email: null,
    secret: ' s3cret ',
    status: 'active',
    voicemail_enabled: true,
  }),
  queues: (n: number) => ({
    tenant_id: 1,
    name: `Queue ${n}`,
    queue_number: String(800 + n),
    strategy: 'ringall',
    timeout: 30,
    status: 'active',
  }),
  rates: (n: number) => ({
    tenant_id: 1,
    prefix: String(380 + n),
    destination: `Place ${n}`,
    cost_per_minute: 123,
    billing_increment: 60,
    status: 'active',
  }),
  dids: (n: number) => ({
    tenant_id: 1,
    number: `+38044${String(n).padStart(7, '0')}`,
    provider: 'Carrier',
    description: null,
    status: 'active',
  }),
  cdrs: (n: number) => ({
    tenant_id: 1,
    extension_id: null,
    caller_number: String(n),
    destination_number: '+380441234567',
    direction: 'outbound',
    disposition: 'ANSWERED',
    duration_seconds: 61,
    bill_seconds: 120,
    cost: 246,
    started_at: '2026-03-01T12:00:00.000000Z',
    ended_at: null,
  }),
  sms_gateways: (n: number) => ({
    name: `Gateway ${n}`,
    provider_type: 'test',
    server_host: 'sms.example.com',
    server_port: 8080,
    api_path: 'send',
    username: 'user',
    password: 'secret',
    default_sender_id: null,
    callback_token: null,
    is_active: true,
    use_ssl: false,
    notes: null,
    meta: null,
  }),
  trunks: (n: number) => ({
    name: `carrier-${n}`,
    host: 'sip.carrier.example.com',
    port: 5060,
    transport: 'udp',
    username: 'user',
    secret: 'secret',
    registers: false,
    number_form: 'e164',
    codecs: 'PCMA,PCMU',
    max_calls: 30,
    status: 'active',
  }),
  devices: (n: number) => ({ extension_id: 1, mac: `001565${String(n).padStart(6, '0')}`, model: 'T46U' }),
  agents: (n: number) => ({ queue_id: 1, extension_id: n, penalty: 0 }),
  routes: (n: number) => ({ did_id: 1, target_type: 'queue', target_id: n }),
} satisfies Record<string, (n: number) => Row>

export type Stored = keyof typeof ROWS

let count = 0

/** A valid row, each different, with the given `changes`. */
export const row = (name: Stored, changes: Row = {}): Row => ({ ...ROWS[name](++count), ...changes })

/** Stores a row and returns its plain view. */
export async function insert(records: Records, name: Stored, changes: Row = {}): Promise<Shown> {
  return shown(await records.insert(resourceNamed(name), row(name, changes)))
}

/** A record's JSON. */
export type Shown = Readonly<Record<string, unknown>> & { readonly id: number }

export function shown(json: string): Shown {
  const value = parseJson(json)
  if (!isJsonObject(value)) throw new Error(`no JSON object: ${json}`)
  return { ...value, id: Number(value.id) }
}

/** The pages of a list, each with its records. */
export async function pagesOf(
  records: Records,
  name: string,
  query: Partial<PageQuery> = {},
): Promise<(Page & { readonly list: Shown[] })[]> {
  const pages = []
  for await (const page of records.list(resourceNamed(name), { view: 'plain', ...query })) {
    const list: unknown = parseJson(`[${page.json}]`)
    pages.push({
      ...page,
      list: Array.isArray(list) ? list.map(item => ({ ...item, id: Number(item.id) })) : [],
    })
  }
  return pages
}

/** The records of a list, all of them. */
export async function listOf(records: Records, name: string, query: Partial<PageQuery> = {}): Promise<Shown[]> {
  return (await pagesOf(records, name, query)).flatMap(page => page.list)
}

/** The ids of a list, in order. */
export async function idsOf(records: Records, name: string, query: Partial<PageQuery> = {}): Promise<number[]> {
  return (await listOf(records, name, query)).map(record => record.id)
}
