import { Command } from 'commander'
import { SWITCH_CHECKS } from '../../doctor/checks.ts'
import { examined, patientOf, tell } from '../../doctor/findings.ts'
import { example } from '../../help.ts'
import type { RunCommand, Wiring } from '../../program.ts'
import { renderCommand } from './render-command.ts'
import { setupCommand } from './setup-command.ts'
import { statusCommand } from './status-command.ts'

/** Commands about the switch itself. */
export const switchCommand = (run: RunCommand, wiring: Wiring): Command =>
  new Command('switch')
    .description('the telephone switch')
    .addCommand(setupCommand(run, wiring))
    .addCommand(checkCommand(run, wiring))
    .addCommand(statusCommand(run, wiring))
    .addCommand(renderCommand(run, wiring))

function checkCommand(run: RunCommand, wiring: Wiring): Command {
  const command = example(
    new Command('check').description(
      'find what keeps the switch from following the database, and the command that helps',
    ),
    'trunkline switch check',
  )
  return run(command, context => {
    const found = examined(SWITCH_CHECKS, patientOf(context, wiring), context)
    return tell(context, found, ': nothing is wrong with the switch')
  })
}
