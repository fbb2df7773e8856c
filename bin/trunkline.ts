#!/usr/bin/env node
import { VERSION } from '../core/version.ts'

/** Loads only what is needed: a version is one line, and most commands need no server. */
async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${VERSION}\n`)
    return 0
  }
  const { runCommandLine } = await import('./command-line.ts')
  return runCommandLine(argv)
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads our output has seen enough.
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`error: the output cannot be written (${error.code ?? error.message})\n`)
  process.exit(74)
})
// There is nowhere to report the error.
process.stderr.on('error', () => undefined)

main(process.argv.slice(2)).then(code => {
  process.exitCode = code
})
