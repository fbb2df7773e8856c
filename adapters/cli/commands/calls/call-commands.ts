import { existsSync } from 'node:fs'
import { Command, Option } from 'commander'
import { SOURCE_FORMATS } from '../../../../core/calls/completed-call.ts'
import type { IngestCounts } from '../../../../core/ports/calls.ts'
import { quoted } from '../../command-line.ts'
import { type Context, say } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import { openStream } from '../../input.ts'
import type { RunCommand } from '../../program.ts'
import { printOutcome } from '../../terminal/output.ts'
import { sayHint, suggested } from '../../terminal/report.ts'
import { redraw } from '../../terminal/streams.ts'
import { styled } from '../../terminal/styles.ts'
import { ratingsCommand } from '../rating/ratings-command.ts'
import { rerateCommand } from '../rating/rerate-command.ts'
import { completed, rulesFrom, rulesOptions, withSlugs } from './feed-rules.ts'
import { quarantineCommand } from './quarantine-commands.ts'

/** Commands for the calls that a switch recorded: ingesting them, and handling unusable records. */
export const callTools = (run: RunCommand): Command[] => [
  ingestCommand(run),
  quarantineCommand(run),
  rerateCommand(run),
  ratingsCommand(run),
]

const AUTO = 'auto'

const REDRAW_MS = 100

/** A running count in a terminal; nothing elsewhere. */
function progress({ io, options }: Context): { show(counts: IngestCounts): void; end(): void } {
  const isShown = io.stderr.isTTY === true && !options.quiet
  const started = performance.now()
  let drawn = 0
  return {
    show: counts => {
      if (!isShown || performance.now() - drawn < REDRAW_MS) return
      drawn = performance.now()
      const rate = Math.round((counts.stored + counts.known) / ((drawn - started) / 1000))
      redraw(
        io,
        `${counts.stored} stored, ${counts.known} known, ${counts.quarantined} in quarantine, ${rate} a second`,
      )
    },
    end: () => {
      if (isShown && drawn > 0) redraw(io, '')
    },
  }
}

function ingestCommand(run: RunCommand): Command {
  const command = rulesOptions(
    new Command('ingest')
      .description(
        "store the calls in a switch's file, in the files of a folder, or from standard input; each call once",
      )
      .argument('<FILE|DIR|->')
      .addOption(
        new Option('--format <format>', 'the format of the records').choices([...SOURCE_FORMATS, AUTO]).default(AUTO),
      ),
  )
  example(command, 'trunkline cdr ingest Master.csv --format asterisk-csv --timezone Europe/Kyiv')
  return run(command, async (context, [path = ''], flags) => {
    const typed = rulesFrom(flags) // errors are reported before a database is opened
    if (path !== '-' && !existsSync(path)) throw new CliError(EXIT.noInput, `there is no file ${path}`)
    const services = await context.open()
    const rules = completed(await withSlugs(services.records, typed))
    const format = SOURCE_FORMATS.find(each => each === flags['format']) ?? AUTO
    const bar = progress(context)
    const skipped = skippedFiles()
    const stream = await openStream(context.io, path)
    const counts = await services
      .ingest(stream ?? path, { feed: { name: path, rules }, format, onProgress: bar.show, onPassedOver: skipped.add })
      .finally(() => {
        bar.end()
        stream?.destroy()
      })
    await printOutcome(context, { ...counts }, () => countsInWords(context, counts))
    await sayNextSteps(context, counts, rules.tenant)
    tellFiles(context, 'skipped, since they cannot be read', skipped.unreadable)
    const of = format === AUTO ? 'of a switch' : `of the format ${format}`
    tellFiles(context, `skipped, since the first lines show no records ${of}`, skipped.foreign)
    const { stored, known, quarantined, legs } = counts
    const isNothingElse = stored + known + quarantined + legs === 0
    if (skipped.unreadable.length > 0) return EXIT.noInput
    return skipped.foreign.length > 0 && isNothingElse ? EXIT.data : EXIT.ok
  })
}

async function sayNextSteps(context: Context, counts: IngestCounts, tenant: string | null): Promise<void> {
  if (counts.quarantined > 0) await sayHint(context, 'trunkline cdr quarantine list')
  if (counts.unrated > 0) await hintAtRates(context, tenant)
}

/** Hints at the command that shows which rates are missing, for the tenant, or for each if the records named theirs. */
async function hintAtRates(context: Context, tenant: string | null): Promise<void> {
  if (tenant !== null) return sayHint(context, `trunkline rate check ${quoted(tenant)}`)
  const each = suggested('trunkline rate check {}', context.options)
  await sayHint(context, `trunkline tenant list --fields slug | xargs -I{} ${each}`)
}

/** Collects the files that an ingest skips, by the reason. */
function skippedFiles() {
  const unreadable: string[] = []
  const foreign: string[] = []
  const add = (file: string, trouble: string | null): void => {
    if (trouble === null) foreign.push(file)
    else unreadable.push(`${file} (${trouble})`)
  }
  return { unreadable, foreign, add }
}

const SHOWN = 10

function tellFiles(context: Context, what: string, files: readonly string[]): void {
  if (files.length === 0) return
  say(context, `${what}: ${files.length}`)
  for (const file of files.slice(0, SHOWN)) say(context, `  ${file}`)
  if (files.length > SHOWN) say(context, `  … and ${files.length - SHOWN} more`)
}

function countsInWords(context: Context, { stored, known, quarantined, legs, unrated }: IngestCounts): string[] {
  const lines = [`stored      ${stored}`, `known       ${known}`, `quarantined ${quarantined}`]
  if (legs > 0) lines.push(`legs        ${legs} (their calls have their own records)`)
  if (unrated > 0) lines.push(`unrated     ${styled(context, 'yellow', String(unrated))}`)
  return lines
}
