import { Command } from 'commander'
import { withoutPassword } from '../../../../core/database-address.ts'
import { counted } from '../../../../core/format-count.ts'
import type { TableCopied } from '../../../../core/use-cases/upkeep/copy-database.ts'
import { type Context, say } from '../../context.ts'
import { CliError, interruption, onEnding } from '../../exit.ts'
import { example } from '../../help.ts'
import type { RunCommand, Wiring } from '../../program.ts'
import { printOutcome } from '../../terminal/output.ts'
import { type Progress, progress } from '../../terminal/progress.ts'
import { noteDeed } from '../../trail.ts'

/** Copies the whole database to another storage. */
export function copyCommand(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('copy')
    .description(
      'copy everything to another, empty database, in one step and verified; the daemon may run, but the copy lacks what it stores meanwhile',
    )
    .requiredOption('--to <database>', 'a new path, or the address of an empty database, postgres://…')
  example(command, 'trunkline db copy --to moved.db')
  return run(command, async (context, _words, flags) => {
    const to = String(flags['to'])
    const shown = withoutPassword(to)
    const isServed = await (await context.open()).maintenance.isServed()
    const tables = await copied(context, wiring, to)
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    await noteDeed(context, { action: 'backup', resource: 'database', changes: { copied_to: shown, rows } })
    if (isServed)
      say(context, 'a daemon serves the database: what it has stored since the copy began is not in the copy')
    await printOutcome(context, { to: shown, rows, tables }, () => [
      `copied ${counted(rows, 'row')} of ${counted(tables.length, 'table')} to ${shown}, verified`,
    ])
  })
}

async function copied(context: Context, wiring: Wiring, to: string): Promise<readonly TableCopied[]> {
  const ended = new AbortController()
  const stopListening = onEnding(code => ended.abort(new CliError(code, 'interrupted: nothing was copied')))
  const bars: Progress[] = []
  try {
    return await wiring.copyDatabase(to, context.options, {
      signal: ended.signal,
      onProgress: ({ done, total }) => {
        const [bar = progress(context, 'copy', total)] = bars
        bars[0] = bar
        bar.at({ bytes: done, rows: done, rejected: 0 })
      },
    })
  } catch (error) {
    throw ended.signal.aborted ? interruption(ended.signal) : error
  } finally {
    stopListening()
    for (const bar of bars) bar.clear()
  }
}
