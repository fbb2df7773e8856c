import { Command } from 'commander'
import type { RunCommand, Wiring } from '../../program.ts'
import { setupCommand } from './setup-command.ts'

/** What is done about the switch itself. */
export const switchCommand = (run: RunCommand, wiring: Wiring): Command =>
  new Command('switch').description('the telephone switch: setup').addCommand(setupCommand(run, wiring))
