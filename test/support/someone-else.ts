import { PassThrough, Readable } from 'node:stream'
import { commands } from '../../adapters/cli/commands/commands.ts'
import { runProgram } from '../../adapters/cli/program.ts'
import { wiringFor } from '../../bin/command-line.ts'

/**
 * Runs a command line as a user without any rights here; bundled before use. It runs once as root on root's own
 * database first, so that its libraries are loaded: another user may be unable to read the folder of this clone.
 */
const NOBODY = 65_534

const [own = '', environment = '{}', ...line] = process.argv.slice(2)

const ended = (env: Record<string, string>, stdout: PassThrough, stderr: PassThrough): Promise<number> =>
  runProgram(line, { stdin: Readable.from(['']), stdout, stderr, env }, wiringFor(env), commands)

await ended({ TRUNKLINE_DB: own }, new PassThrough().resume(), new PassThrough().resume())
// Loads what formats an error as well.
await ended({ TRUNKLINE_DB: '/dev/null' }, new PassThrough().resume(), new PassThrough().resume())
process.setgroups?.([])
process.setgid?.(NOBODY)
process.setuid?.(NOBODY)
const [stdout, stderr] = [new PassThrough(), new PassThrough()]
stdout.pipe(process.stdout)
stderr.pipe(process.stderr)
process.exitCode = await ended(JSON.parse(environment), stdout, stderr)
