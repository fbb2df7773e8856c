import { dirname } from 'node:path'
import { Command } from 'commander'
import { AppError } from '../../../core/errors.ts'
import { quoted } from '../command-line.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { example } from '../help.ts'
import type { RunCommand, Wiring } from '../program.ts'
import type { Finding } from './check.ts'
import { CHECKS } from './checks.ts'
import { examined, patientOf, tell } from './findings.ts'

export async function doctorCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const command = example(
    new Command('doctor').description('find what is wrong, and the command that fixes it'),
    'trunkline doctor',
  )
  return run(command, context => tell(context, everything(context, wiring), ': nothing is wrong'))
}

async function* everything(context: Context, wiring: Wiring): AsyncIterable<Finding> {
  let path = ''
  try {
    const patient = patientOf(context, wiring)
    path = patient.path
    yield* examined(CHECKS, patient, context)
  } catch (error) {
    // Settings that cannot be read, or a database that cannot be opened, become the last finding.
    yield openingFailure(error, path)
  }
}

function openingFailure(error: unknown, path: string): Finding {
  if (!(error instanceof AppError || error instanceof CliError)) throw error
  const finding = error.message.replace(/\.$/, '')
  if (error instanceof AppError && error.code === 'read_only' && !error.details.hint)
    return { kind: error.code, finding, fix: `ls -ld ${quoted(dirname(path))} ${quoted(path)}` }
  const { kind, hint } =
    error instanceof AppError ? { kind: error.code, hint: error.details.hint } : { kind: 'unopened', hint: error.hint }
  return { kind, finding, fix: typeof hint === 'string' ? hint : 'trunkline config check' }
}
