import { Command } from 'commander'
import type { Quarantined } from '../../../../core/ports/calls.ts'
import {
  discard,
  isMeant,
  type QuarantineFilter,
  quarantined,
  replay,
} from '../../../../core/use-cases/calls/quarantine.ts'
import { say } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import type { Flags } from '../../fields.ts'
import { example } from '../../help.ts'
import { type RunCommand, takesFields } from '../../program.ts'
import { printOutcome, printRows } from '../../terminal/output.ts'
import { writeLines } from '../../terminal/streams.ts'
import { printable } from '../../terminal/styles.ts'
import { cut } from '../../terminal/width.ts'
import { assertWanted } from '../delete-command.ts'
import { completed, rulesFrom, rulesOptions, withSlugs } from './feed-rules.ts'

const COLUMNS = {
  id: 'integer',
  reason: 'text',
  record: 'text',
  seen: 'integer',
  created_at: 'date',
  format: 'text',
  timezone: 'text',
  feed: 'text',
} as const

/** The width of a terminal that does not report one. */
const WIDTH = 80

/** With the time zone that a replay would use: another zone may mean another day. */
type Shown = Omit<Quarantined, 'rules'> & Pick<Quarantined['rules'], 'timezone'>

export function quarantineCommand(run: RunCommand): Command {
  const group = new Command('quarantine').description('records that could not be used: list, replay, discard')
  group.addCommand(listCommand(run))
  group.addCommand(replayCommand(run))
  group.addCommand(discardCommand(run))
  return group
}

function listCommand(run: RunCommand): Command {
  const list = filterOptions(
    new Command('list').description('list the records and why they could not be used, oldest first'),
  )
  example(list, 'trunkline cdr quarantine list', "trunkline cdr quarantine list --reason 'columns, not'")
  return run(takesFields(list), async (context, _words, flags) => {
    const rows: Shown[] = []
    for await (const { rules, ...waiting } of quarantined(await context.open(), filterFrom(flags)))
      rows.push({ ...waiting, timezone: rules.timezone })
    const { output } = context.options
    if (rows.length === 0 && output === 'table')
      return say(context, isFiltered(flags) ? 'no record in quarantine matches' : 'the quarantine is empty')
    const columns = context.io.stdout.isTTY && output === 'table' ? (context.io.stdout.columns ?? WIDTH) : null
    if (columns === null) await printRows(context, COLUMNS, rows)
    else
      await writeLines(
        context.io,
        rows.flatMap(row => paragraph(row, columns)),
      )
    if (rows.length > 0)
      say(context, `${rows.length} in quarantine; fix the cause, then: trunkline cdr quarantine replay`)
  })
}

const filterOptions = (command: Command): Command =>
  command
    .option('--reason <text>', 'only records whose reason contains this')
    .option('--feed <name>', 'only records of this feed (its file or folder, exactly as configured)')

const isFiltered = ({ reason, feed }: Flags): boolean => Boolean(reason) || Boolean(feed)

const filterFrom = ({ reason, feed }: Flags): QuarantineFilter => ({
  ...(reason === undefined ? {} : { reason: String(reason) }),
  ...(feed === undefined ? {} : { feed: String(feed) }),
})

/** The reason, which matters most, and below it as much of the record as fits. */
function paragraph({ id, reason, record, seen, feed, timezone }: Shown, columns: number): string[] {
  const often = seen > 1 ? ` (came ${seen} times)` : ''
  const lines = [`${id}  ${reason}${often}`, `    ${feed} (${timezone}): ${record}`]
  return lines.map(line => cut(printable(line), columns))
}

function replayCommand(run: RunCommand): Command {
  const command = rulesOptions(new Command('replay').description('retry the records once their causes are fixed'))
  example(command, 'trunkline cdr quarantine replay', 'trunkline cdr quarantine replay --tenant acme')
  return run(command, async (context, _words, flags) => {
    const typed = rulesFrom(flags) // errors are reported before a database is opened
    const services = await context.open()
    const rules = await withSlugs(services.records, typed)
    const totals = await replay(services, {}, each => completed(rules, each.rules))
    await printOutcome(context, totals, () => [`replayed ${totals.replayed}, left ${totals.left}`])
    return totals.left > 0 ? EXIT.negative : EXIT.ok
  })
}

function discardCommand(run: RunCommand): Command {
  const command = filterOptions(
    new Command('discard')
      .description('delete records, by id or by --reason or --feed; in a terminal, asks first')
      .argument('[ID...]'),
  ).option('-y, --yes', 'do not ask')
  example(command, "trunkline cdr quarantine discard --reason 'columns, not' --yes")
  return run(command, async (context, words, flags) => {
    const ids = new Set(words.map(idFrom))
    if (ids.size === 0 && !isFiltered(flags))
      throw new CliError(EXIT.usage, 'say which records to discard: by id, --reason or --feed')
    const services = await context.open()
    const wanted: number[] = []
    for await (const each of quarantined(services, ids.size > 0 ? { ids: new Set(ids) } : {})) {
      ids.delete(each.id)
      if (isMeant(each, filterFrom(flags))) wanted.push(each.id)
    }
    const [missing] = ids
    if (missing !== undefined)
      throw new CliError(EXIT.noRecord, `there is no record ${missing} in quarantine`, 'trunkline cdr quarantine list')
    if (wanted.length > 0 && flags['yes'] !== true)
      await assertWanted(context, `${wanted.length} of the quarantine's records`)
    const discarded = await discard(services, wanted)
    await printOutcome(context, { discarded }, () => [`discarded ${discarded}`])
  })
}

function idFrom(word: string): number {
  if (/^[1-9]\d{0,14}$/.test(word)) return Number(word)
  throw new CliError(EXIT.usage, `${word} is not an id`, 'trunkline cdr quarantine list')
}
