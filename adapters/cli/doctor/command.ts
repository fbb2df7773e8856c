import { dirname } from 'node:path'
import { Command } from 'commander'
import { AppError } from '../../../core/errors.ts'
import { quoted } from '../command-line.ts'
import type { Context } from '../context.ts'
import { CliError, EXIT } from '../exit.ts'
import { example } from '../help.ts'
import { printValue } from '../output.ts'
import type { RunCommand, Wiring } from '../program.ts'
import { suggested } from '../report.ts'
import { daemonState } from '../service-commands.ts'
import { styled } from '../styles.ts'
import type { Finding } from './check.ts'
import { CHECKS } from './checks.ts'

export async function doctorCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const command = example(
    new Command('doctor').description('find what is wrong, and the command that mends it'),
    'trunkline doctor',
  )
  return run(command, async context => {
    const findings: Finding[] = []
    for await (const found of examined(context, wiring))
      findings.push({ ...found, mend: suggested(found.mend, context.options) })
    await printValue(context, findings, () =>
      findings.length === 0
        ? `${styled(context, 'green', 'ok')}: nothing is wrong\n`
        : findings
            .map(({ finding, mend }) => `${styled(context, 'red', 'found')}: ${finding}\n mend: ${mend}\n`)
            .join(''),
    )
    return findings.length === 0 ? EXIT.ok : EXIT.negative
  })
}

async function* examined(context: Context, wiring: Wiring): AsyncIterable<Finding> {
  let path = ''
  try {
    const settings = wiring.settings(context.options).values
    path = context.options.db ?? String(settings['db'])
    const patient = { settings, path, open: () => context.open(), daemon: () => daemonState(wiring, context) }
    for (const check of CHECKS) yield* check.examine(patient)
  } catch (error) {
    // What keeps the settings from being read or the database from being opened is a finding like the others, and the last.
    yield openingFailure(error, path)
  }
}

function openingFailure(error: unknown, path: string): Finding {
  if (!(error instanceof AppError || error instanceof CliError)) throw error
  const finding = error.message.replace(/\.$/, '')
  if (error instanceof AppError && error.code === 'read_only')
    return { kind: error.code, finding, mend: `ls -ld ${quoted(dirname(path))} ${quoted(path)}` }
  const { kind, hint } =
    error instanceof AppError ? { kind: error.code, hint: error.details.hint } : { kind: 'unopened', hint: error.hint }
  return { kind, finding, mend: typeof hint === 'string' ? hint : 'trunkline config check' }
}
