#!/usr/bin/env node
import { VERSION } from '../core/version.ts'

/** Only what is asked for is loaded: a version is a line, and most commands need no server. */
async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${VERSION}\n`)
    return 0
  }
  const { runCommandLine } = await import('./command-line.ts')
  return runCommandLine(argv)
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read our output has had enough of it.
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`error: the output cannot be written (${error.code ?? error.message})\n`)
  process.exit(74)
})
// The error has nowhere to go.
process.stderr.on('error', () => undefined)

main(process.argv.slice(2)).then(code => {
  process.exitCode = code
})
