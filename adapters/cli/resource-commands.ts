import { Command } from 'commander'
import { AppError } from '../../core/errors.ts'
import { referencesTo } from '../../core/resources/all.ts'
import type { Resource } from '../../core/resources/resource.ts'
import type { JsonStream } from '../../core/use-cases/administer.ts'
import { askMissing, askText, confirm } from './ask.ts'
import { type Context, type Services, say } from './context.ts'
import { CliError, EXIT } from './exit.ts'
import { addFieldFlags, bodyFrom, bodyOf, type Flags } from './fields.ts'
import { printRecord, printRecords } from './output.ts'
import { example, type RunCommand } from './program.ts'
import { referenceForm, resolve } from './references.ts'
import { sampleFlags } from './samples.ts'

/** At a terminal a list shows so many, unless told otherwise. */
const SCREENFUL = 50

/** The commands of one resource, derived from its declaration. `run` is how an action gets its context. */
export function resourceCommand(resource: Resource, name: string, run: RunCommand): Command {
  const group = new Command(name).description(summaryOf(resource))
  const isExposed = resource.path !== null
  group.addCommand(listCommand(resource, name, run))
  if (isExposed) group.addCommand(showCommand(resource, name, run))
  group.addCommand(createCommand(resource, name, isExposed ? 'create' : 'add', run))
  if (isExposed) group.addCommand(updateCommand(resource, name, run))
  group.addCommand(deleteCommand(resource, name, isExposed ? 'delete' : 'remove', run))
  return group
}

export const summaryOf = (resource: Resource): string =>
  `${resource.plural}: list, ${resource.path ? 'show, create, update, delete, import, export' : 'add, remove'}`

const belongsToTenant = (resource: Resource): boolean => resource.fields['tenant_id'] !== undefined

const labelOf = ({ label }: Resource): string => label.replace(/^[A-Z](?=[a-z])/, letter => letter.toLowerCase())

function listCommand(resource: Resource, name: string, run: RunCommand): Command {
  const command = new Command('list')
    .description(`list ${resource.plural}, ${resource.order === 'id' ? 'newest' : 'latest'} first`)
    .option('--search <text>', `only what contains this text in ${resource.search.join(', ')}`)
    .option('--limit <n>', `at most so many (at a terminal ${SCREENFUL} unless given)`)
    .option('--after <id>', 'only what comes after this record')
    .option('--all', 'all of them')
    .option('--show-secrets', 'show SIP and gateway secrets')
  if (belongsToTenant(resource)) command.option('--tenant <SLUG|ID>', 'only those of this tenant')
  example(command, `trunkline ${name} list --limit 10`)
  return run(command, async (context, _arguments, flags) => {
    const { records } = await context.open()
    const tenant = typeof flags['tenant'] === 'string' ? await tenantId(records, flags['tenant']) : null
    const limit = limitOf(context, flags)
    const query = {
      view: 'list' as const,
      ...(typeof flags['search'] === 'string' && flags['search'].trim() ? { search: flags['search'].trim() } : {}),
      ...(flags['after'] === undefined ? {} : { after: wholeNumber('--after', flags['after']) }),
      ...(limit === null ? {} : { limit }),
      ...(tenant === null ? {} : { where: { tenant_id: tenant } }),
    }
    await printRecords(context, resource, records.list(resource, query), { showSecrets: flags['showSecrets'] === true })
  })
}

async function tenantId(records: Services['records'], given: string): Promise<number> {
  const { tenants } = await import('../../core/resources/tenants.ts')
  return resolve(records, tenants, given)
}

function limitOf({ io, options }: Context, flags: Flags): number | null {
  if (flags['limit'] !== undefined) return wholeNumber('--limit', flags['limit'])
  return options.output === 'table' && io.stdout.isTTY && !flags['all'] ? SCREENFUL : null
}

function wholeNumber(flag: string, given: unknown): number {
  if (!/^[1-9]\d{0,8}$/.test(String(given))) throw new CliError(EXIT.usage, `${flag} must be a whole number above 0`)
  return Number(given)
}

function showCommand(resource: Resource, name: string, run: RunCommand): Command {
  const command = new Command('show')
    .description(`show one ${labelOf(resource)} with what belongs to it`)
    .argument(`<${referenceForm(resource)}>`)
    .option('--show-secrets', 'show SIP and gateway secrets')
  example(command, `trunkline ${name} show ${exampleReference(resource)}`)
  return run(command, async (context, [reference = ''], flags) => {
    const services = await context.open()
    const id = await resolve(services.records, resource, reference)
    const json = await whole(await services.administration.show(resource, id))
    await printRecord(context, resource, json, { showSecrets: flags['showSecrets'] === true })
  })
}

const exampleReference = (resource: Resource): string => {
  const own = resource.fields[resource.key.at(-1) ?? '']?.examples?.[0]
  if (own === undefined) return '1'
  return belongsToTenant(resource) && resource.key.includes('tenant_id') ? `acme/${own}` : own
}

async function whole(json: JsonStream): Promise<string> {
  if (typeof json === 'string') return json
  let text = ''
  for await (const piece of json) text += piece
  return text
}

function createCommand(resource: Resource, name: string, verb: string, run: RunCommand): Command {
  const command = addFieldFlags(new Command(verb), resource).description(
    `${verb === 'add' ? 'add' : 'create'} one ${labelOf(resource)}; at a terminal, asks for what is missing`,
  )
  example(command, `trunkline ${name} ${verb} ${sampleFlags(resource)}`)
  return run(command, async (context, _arguments, flags) => {
    const services = await context.open()
    const given = await bodyFrom(flags, resource, context, services)
    const body = context.options.interactive ? await askMissing(context, services, resource, given) : given
    const json = await services.administration.create(resource, body)
    // A generated secret is shown this once: nobody has seen it yet.
    const isGenerated = Object.keys(flags).some(flag => flag.startsWith('generate'))
    await printRecord(context, resource, json, { showSecrets: isGenerated })
    say(context, `${resource.label} created.`)
  })
}

function updateCommand(resource: Resource, name: string, run: RunCommand): Command {
  const command = addFieldFlags(new Command('update').argument(`<${referenceForm(resource)}>`), resource).description(
    `change the given fields of one ${labelOf(resource)}; the others stay`,
  )
  const [field = 'status', declared] =
    Object.entries(resource.fields).find(
      ([known]) => known === 'status' || known === 'notes' || known === 'disposition',
    ) ?? []
  example(
    command,
    `trunkline ${name} update ${exampleReference(resource)} --${field} "${declared?.examples?.[0] ?? 'kept by hand'}"`,
  )
  return run(command, async (context, [reference = ''], flags) => {
    const services = await context.open()
    const id = await resolve(services.records, resource, reference)
    const changes = await bodyFrom(flags, resource, context, services)
    if (Object.keys(changes).length === 0)
      throw new CliError(EXIT.usage, 'nothing to change', `see trunkline ${name} update --help for the fields`)
    const current = await services.records.find(resource, id)
    const json = await services.administration.replace(resource, id, {
      ...(current ? bodyOf(resource, current) : {}),
      ...changes,
    })
    await printRecord(context, resource, json, {
      showSecrets: Object.keys(flags).some(flag => flag.startsWith('generate')),
    })
    say(context, `${resource.label} updated.`)
  })
}

function deleteCommand(resource: Resource, name: string, verb: string, run: RunCommand): Command {
  const command = new Command(verb)
    .description(`${verb} one ${labelOf(resource)}; at a terminal, asks first`)
    .argument(`<${referenceForm(resource)}>`)
    .option('-y, --yes', 'without asking')
  const restricting = referencesTo(resource).some(({ onDelete }) => onDelete === 'restrict')
  if (restricting) command.option('--cascade', 'with everything that belongs to it')
  example(command, `trunkline ${name} ${verb} ${exampleReference(resource)} --yes`)
  return run(command, async (context, [reference = ''], flags) => {
    const services = await context.open()
    const id = await resolve(services.records, resource, reference)
    const cascade = flags['cascade'] === true
    if (!flags['yes']) await assertWanted(context, resource, reference)
    try {
      await services.administration.remove(resource, id, { cascade })
    } catch (error) {
      await cascadeIfWanted(context, services, resource, id, error)
    }
    say(context, `${resource.label} ${reference} deleted.`)
  })
}

async function assertWanted(context: Context, resource: Resource, reference: string): Promise<void> {
  if (!context.options.interactive)
    throw new CliError(
      EXIT.usage,
      `deleting ${labelOf(resource)} ${reference} must be confirmed`,
      'repeat the command with --yes',
    )
  if (!(await confirm(context, `Delete ${labelOf(resource)} ${reference}?`)))
    throw new CliError(EXIT.negative, 'nothing was deleted')
}

/** A record with dependants goes only when the person at the terminal has seen what goes with it and types its name. */
async function cascadeIfWanted(
  context: Context,
  { administration, records }: Services,
  resource: Resource,
  id: number,
  error: unknown,
): Promise<void> {
  if (!(error instanceof AppError && error.code === 'conflict')) throw error
  if (!context.options.interactive)
    throw new CliError(EXIT.data, error.message, 'repeat the command with --cascade to delete all of it')
  const row = await records.find(resource, id)
  const key = String(row?.[resource.key[0] ?? 'id'] ?? id)
  say(context, `${error.message} All of it will be deleted for good.`)
  const typed = await askText(context, `Type ${key} to delete it with everything that belongs to it:`)
  if (typed.trim() !== key) throw new CliError(EXIT.negative, 'nothing was deleted')
  await administration.remove(resource, id, { cascade: true })
}
