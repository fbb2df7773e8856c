import { Command, Option } from 'commander'
import { isTimeZone } from '../../core/dates.ts'
import type { IngestCounts } from '../../core/ports.ts'
import { SOURCE_FORMATS } from '../../core/rating/completed-call.ts'
import type { FeedRules } from '../../core/rating/record-call.ts'
import { type Context, say } from './context.ts'
import { CliError, EXIT } from './exit.ts'
import type { Flags } from './fields.ts'
import { printValue } from './output.ts'
import { example, type RunCommand } from './program.ts'
import { rerateCommand } from './rating-commands.ts'
import { styled } from './table.ts'

/** Calls that a switch recorded: taking them in, and what could not be used of them. */
export const callTools = (run: RunCommand): Command[] => [
  ingestCommand(run),
  quarantineCommand(run),
  rerateCommand(run),
]

const AUTO = 'auto'

function rulesFrom(flags: Flags): FeedRules {
  const timezone = String(flags['timezone'] ?? 'UTC')
  if (!isTimeZone(timezone))
    throw new CliError(
      EXIT.usage,
      `there is no time zone ${timezone}`,
      'write an IANA name, such as --timezone Europe/Kyiv',
    )
  const pairs = Array.isArray(flags['context']) ? flags['context'].map(String) : []
  const contexts = Object.fromEntries(
    pairs.map(pair => {
      const [context, slug] = pair.split('=')
      if (!context || !slug)
        throw new CliError(EXIT.usage, `--context ${pair} is no pair`, 'write --context from-acme=acme')
      return [context, slug]
    }),
  )
  return { timezone, contexts, tenant: typeof flags['tenant'] === 'string' ? flags['tenant'] : null }
}

const REDRAW_MS = 100

/** A running count at a terminal; nothing elsewhere. */
function progress({ io, options }: Context): { show(counts: IngestCounts): void; end(): void } {
  const isShown = io.stderr.isTTY === true && !options.quiet
  const started = performance.now()
  let drawn = 0
  return {
    show: counts => {
      if (!isShown || performance.now() - drawn < REDRAW_MS) return
      drawn = performance.now()
      const rate = Math.round((counts.stored + counts.known) / ((drawn - started) / 1000))
      io.stderr.write(
        `\r\u001b[K${counts.stored} stored, ${counts.known} known, ${counts.quarantined} in quarantine, ${rate} a second`,
      )
    },
    end: () => {
      if (isShown && drawn > 0) io.stderr.write('\r\u001b[K')
    },
  }
}

function ingestCommand(run: RunCommand): Command {
  const command = new Command('ingest')
    .description("take in the calls of a switch's file, of a folder of JSON records, or of standard input; each once")
    .argument('<FILE|DIR|->')
    .addOption(
      new Option('--format <format>', 'how the records are written').choices([...SOURCE_FORMATS, AUTO]).default(AUTO),
    )
    .option('--timezone <zone>', "the switch's time zone (default: UTC)")
    .option('--tenant <slug>', 'the tenant of records without an account code')
    .option(
      '--context <context=slug>',
      'the tenant of a dialplan context; may be repeated',
      (pair: string, all: string[] = []) => [...all, pair],
    )
  example(command, 'trunkline cdr ingest Master.csv --format asterisk-csv --timezone Europe/Kyiv')
  return run(command, async (context, [path = ''], flags) => {
    const services = await context.open()
    const format = SOURCE_FORMATS.find(known => known === flags['format']) ?? AUTO
    const bar = progress(context)
    const source = path === '-' ? context.io.stdin : path
    const counts = await services
      .ingest(source, { feed: { name: path, rules: rulesFrom(flags) }, format, onProgress: bar.show })
      .finally(bar.end)
    await printValue(context, { ...counts }, () =>
      [
        `stored      ${counts.stored}`,
        `known       ${counts.known}`,
        `quarantined ${counts.quarantined}`,
        ...(counts.legs > 0 ? [`legs        ${counts.legs} (their calls have records of their own)`] : []),
        ...(counts.unrated > 0 ? [`unrated     ${styled(context, 'yellow', String(counts.unrated))}`] : []),
        '',
      ].join('\n'),
    )
    if (counts.quarantined > 0) say(context, 'hint: trunkline cdr quarantine list')
    if (counts.unrated > 0) say(context, 'hint: trunkline rate check TENANT')
  })
}

function quarantineCommand(run: RunCommand): Command {
  const group = new Command('quarantine').description('records that could not be used: list, replay')
  const list = example(
    new Command('list').description('the records and why they could not be used, oldest first'),
    'trunkline cdr quarantine list',
  )
  group.addCommand(
    run(list, async context => {
      const { calls } = await context.open()
      let count = 0
      for await (const { id, feed, format, reason, seen, record, created_at } of calls.quarantine()) {
        count++
        await printValue(
          context,
          { id, feed, format, reason, seen, created_at, record },
          () => `${id}  ${created_at}  ${format}  ${reason}\n    ${record}\n`,
        )
      }
      say(
        context,
        count === 0 ? 'the quarantine is empty' : 'hint: mend the cause, then: trunkline cdr quarantine replay',
      )
    }),
  )
  const replay = example(
    new Command('replay').description('try the records again, the causes mended'),
    'trunkline cdr quarantine replay',
  )
  group.addCommand(
    run(replay, async context => {
      const { calls, readRecord } = await context.open()
      const totals = { replayed: 0, left: 0 }
      for await (const quarantined of calls.quarantine()) {
        const isUsed = await calls.replay(quarantined, readRecord(quarantined.format, quarantined.record))
        totals[isUsed ? 'replayed' : 'left']++
      }
      await printValue(context, totals, () => `replayed ${totals.replayed}, left ${totals.left}\n`)
      return totals.left > 0 ? EXIT.negative : EXIT.ok
    }),
  )
  return group
}
