import type { Io } from './context.ts'
import type { Wiring as ProgramWiring } from './program.ts'
import { reportDaemonFailure } from './terminal/daemon-failure.ts'
import { writeLines } from './terminal/streams.ts'

/** What the programs give the command line. */
export type Wiring = ProgramWiring

/** Runs one command line and returns its exit code. Nothing is thrown, and nothing ends the process. */
async function run(argv: readonly string[], io: Io, wiring: Wiring): Promise<number> {
  const [{ runProgram }, { commands }] = await Promise.all([import('./program.ts'), import('./commands/commands.ts')])
  return runProgram(argv, io, wiring, commands)
}

/** Everything that the programs use of this adapter. Commands are loaded on use. */
export const cli = { run, writeLines, reportDaemonFailure }
