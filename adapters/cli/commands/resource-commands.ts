import { Command } from 'commander'
import { type JsonObject, objects } from '../../../core/json.ts'
import type { PageQuery } from '../../../core/ports/records.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { isRated } from '../../../core/resources/call-ratings.ts'
import type { Resource, Row } from '../../../core/resources/resource.ts'
import type { Unread } from '../../../core/resources/values/unread.ts'
import type { JsonStream } from '../../../core/use-cases/records/administer.ts'
import { type Context, type Services, say } from '../context.ts'
import { addEditFlags, editsFrom, withinBody } from '../edits.ts'
import { CliError, EXIT } from '../exit.ts'
import { addFieldFlags, bodyFrom, type Flags, isGenerating, randomSecret } from '../fields.ts'
import { alsoCalled, example } from '../help.ts'
import { labelOf, pluralOf, recordMeant, referenceForm, tenantOption } from '../naming/references.ts'
import { verbsOf } from '../naming/resource-names.ts'
import { warnOfSameKey } from '../naming/same-key.ts'
import { type RunCommand, takesFields } from '../program.ts'
import { hinting } from '../remedies.ts'
import { addSelectionFlags, addSortFlags, selectionFrom, sortFrom } from '../selection.ts'
import { askMissing } from '../terminal/ask.ts'
import { assertFields, isAskedFor, printRecord, printRecords } from '../terminal/output.ts'
import { sayHint } from '../terminal/report.ts'
import { sampleChange, sampleFlags, sampleReference } from '../terminal/samples.ts'
import { wholeNumber } from '../terminal/whole-number.ts'
import { noteShown } from '../trail.ts'
import { assertRead, forceOption } from '../unreadable-values.ts'
import { deleteCommand } from './delete-command.ts'
import { ratingShown } from './rating/rating-shown.ts'

/** Records in a terminal's list by default. */
const SCREENFUL = 50

/** What a resource's commands do beyond its declaration. */
export interface Additions {
  /** Adds flags to `create`. */
  addFlags(command: Command): void
  /** Returns the new record's body with what those flags add. Throws CliError. */
  complete(context: Context, flags: Flags, body: JsonObject, services: Services): Promise<JsonObject>
  /** Finds unusable values beyond those that no rule can read. */
  unread(services: Services, values: Row): readonly Unread[]
  /** Called with each new record. */
  done(context: Context, services: Services, json: string): Promise<void>
}

/** Returns the commands of one resource, derived from its declaration. `run` gives an action its context. */
export function resourceCommand(resource: Resource, name: string, run: RunCommand, additions?: Additions): Command {
  const isExposed = resource.path !== null
  const commands = [
    listCommand(resource, name, run),
    ...(isExposed ? [showCommand(resource, name, run)] : []),
    createCommand(resource, name, run, additions),
    ...(isExposed ? [updateCommand(resource, name, run, additions)] : []),
    deleteCommand(resource, name, run),
  ]
  const group = new Command(name).description(`administer ${pluralOf(resource)}`)
  for (const command of commands) group.addCommand(alsoCalled(command))
  return group
}

const hasSecrets = (resource: Resource): boolean =>
  Object.values(resource.fields).some(({ secret, writeOnly }) => secret && !writeOnly)

/** True if a record, or a record embedded in it, has secrets. */
const showsSecrets = (resource: Resource): boolean =>
  hasSecrets(resource) || resource.embeds.some(embed => embed.kind === 'many' && hasSecrets(resourceNamed(embed.from)))

function listCommand(resource: Resource, name: string, run: RunCommand): Command {
  const command = new Command('list').description(
    `list ${pluralOf(resource)}, ${resource.order === 'id' ? 'newest' : 'latest'} first`,
  )
  if (resource.search.length > 0)
    command.option('--search <text>', `only records with this text in ${resource.search.join(', ')}`)
  addSelectionFlags(command, resource)
  addSortFlags(command, resource)
    .option('--limit <n>', `the most to show (default in a terminal: ${SCREENFUL})`)
    .option('--after <id>', 'only records after this one')
    .option('--all', 'all of them')
  if (hasSecrets(resource)) command.option('--show-secrets', 'show secrets')
  example(
    command,
    `trunkline ${name} list --limit 10`,
    ...(isRated(resource) ? [`trunkline ${name} list --unrated --month 2026-10 --sort duration_seconds`] : []),
  )
  return run(takesFields(command), async (context, _words, flags) => {
    const services = await context.open()
    const limit = limitOf(context, flags)
    const search = typeof flags['search'] === 'string' ? flags['search'].trim() : ''
    const query: PageQuery = {
      view: 'list',
      ...(await selectionFrom(flags, resource, services)),
      ...sortFrom(flags, resource),
      ...(search === '' ? {} : { search }),
      ...(flags['after'] === undefined ? {} : { after: wholeNumber('--after', flags['after']) }),
      ...(limit === null ? {} : { limit }),
    }
    const pages = services.records.list(resource, query)
    const showSecrets = flags['showSecrets'] === true
    await noteShown(context, resource.name, showSecrets)
    const next = await printRecords(context, resource, pages, { showSecrets, sortedBy: query.sort?.by })
    if (limit !== null && next !== null) say(context, `there are more: add --after ${next} for the next, or --all`)
  })
}

function limitOf({ io, options }: Context, flags: Flags): number | null {
  if (flags['limit'] !== undefined) return wholeNumber('--limit', flags['limit'])
  return options.output === 'table' && io.stdout.isTTY && !flags['all'] ? SCREENFUL : null
}

function showCommand(resource: Resource, name: string, run: RunCommand): Command {
  const command = new Command('show')
    .description(`show one ${labelOf(resource)} with what belongs to it`)
    .argument(`<${referenceForm(resource)}>`)
  tenantOption(command, resource)
  if (showsSecrets(resource)) command.option('--show-secrets', 'show secrets')
  example(command, `trunkline ${name} show ${sampleReference(resource)}`)
  return run(takesFields(command), async (context, [reference = ''], flags) => {
    const services = await context.open()
    const id = await recordMeant(services.records, resource, reference, flags['tenant'])
    const json = await whole(await services.administration.show(resource, id))
    const showSecrets = flags['showSecrets'] === true
    await noteShown(context, resource.name, showSecrets, id)
    const { members: beside, hint } = isRated(resource) ? await ratingShown(services, id) : { members: {}, hint: null }
    await printRecord(context, resource, json, { showSecrets, beside })
    if (hint !== null) await sayHint(context, hint)
  })
}

async function whole(json: JsonStream): Promise<string> {
  if (typeof json === 'string') return json
  let text = ''
  for await (const piece of json) text += piece
  return text
}

function createCommand(resource: Resource, name: string, run: RunCommand, additions?: Additions): Command {
  const { create: verb, created } = verbsOf(resource)
  const command = addFieldFlags(new Command(verb), resource, true).description(
    `${verb} one ${labelOf(resource)}; in a terminal, asks for what is missing`,
  )
  additions?.addFlags(command)
  forceOption(addEditFlags(command, resource, false), resource)
  example(command, `trunkline ${name} ${verb} ${sampleFlags(resource)}`)
  return run(takesFields(command), async (context, _words, flags) => {
    assertFields(context, resource)
    const services = await context.open()
    const named = await bodyFrom(flags, resource, context, services)
    const { body: typed, edits } = withinBody(named, editsFrom(flags, resource), true)
    const completed = additions ? await additions.complete(context, flags, typed, services) : typed
    const asked = context.options.interactive
      ? await hinting(services.records, resource, { values: completed }, () =>
          askMissing(context, services, resource, completed),
        )
      : completed
    const madeUp = context.options.interactive ? randomFor(resource, asked) : {}
    const body = { ...asked, ...madeUp }
    await assertRead(context, resource, null, { body, edits, flags }, values => additions?.unread(services, values))
    const json = await hinting(services.records, resource, { values: body }, () =>
      services.administration.create(resource, body),
    )
    // A generated secret is shown this once: nobody has seen it yet.
    const isUnseen = isGenerating(flags) || Object.keys(madeUp).length > 0
    if (isUnseen || isAskedFor(context)) await printRecord(context, resource, json, { showSecrets: isUnseen })
    say(context, `${resource.label} ${created}.`)
    await warnOfSameKey(context, services.records, resource, idIn(json))
    await additions?.done(context, services, json)
  })
}

/** Returns the id of a new record. */
function idIn(json: string): number {
  const [row] = objects(`[${json}]`)
  return Number(row?.['id'])
}

/** Returns random values for the secrets that were not given. */
const randomFor = ({ fields }: Resource, body: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { generated }]) =>
      generated && body[name] === undefined ? [[name, randomSecret()]] : [],
    ),
  )

function updateCommand(resource: Resource, name: string, run: RunCommand, additions?: Additions): Command {
  const command = addFieldFlags(
    new Command('update').argument(`<${referenceForm(resource)}>`),
    resource,
    false,
  ).description(`change fields of one ${labelOf(resource)}`)
  forceOption(addEditFlags(command, resource, true), resource)
  example(command, `trunkline ${name} update ${sampleReference(resource)} ${sampleChange(resource)}`)
  return run(takesFields(command), async (context, [reference = ''], flags) => {
    assertFields(context, resource)
    const services = await context.open()
    const { administration, records } = services
    const id = await recordMeant(records, resource, reference)
    const named = await bodyFrom(flags, resource, context, services)
    const { body: changes, edits } = withinBody(named, editsFrom(flags, resource), false)
    if (Object.keys({ ...changes, ...edits }).length === 0)
      throw new CliError(EXIT.usage, 'nothing to change: give at least one field', `trunkline ${name} update --help`)
    const change = { body: changes, edits, flags }
    const stored = await records.find(resource, id)
    await assertRead(context, resource, stored, change, values => additions?.unread(services, values))
    const json = await hinting(records, resource, { values: changes, id }, () =>
      administration.change(resource, id, changes, { edits }),
    )
    const isUnseen = isGenerating(flags)
    if (isUnseen || isAskedFor(context)) await printRecord(context, resource, json, { showSecrets: isUnseen })
    say(context, `${resource.label} updated.`)
    if (resource.key.some(field => field in changes)) await warnOfSameKey(context, records, resource, id)
  })
}
