import { commands } from '../adapters/cli/commands.ts'
import type { GlobalOptions } from '../adapters/cli/context.ts'
import { runProgram, type Wiring } from '../adapters/cli/program.ts'
import { type Loaded, loadSettings } from '../config/load.ts'

const load = ({ db, config }: Pick<GlobalOptions, 'db' | 'config'>): Loaded =>
  loadSettings({ flags: db === undefined ? {} : { db }, environment: process.env, file: config })

const wiring: Wiring = {
  settings: options => {
    const { settings, sources, file } = load(options)
    return { values: settings, sources, file }
  },
  open: async (options, opening) => {
    const { settings } = load(options)
    const { openServices } = await import('./services.ts')
    return openServices(settings, opening)
  },
  serve: async options => {
    const { runDaemon } = await import('./run-daemon.ts')
    await runDaemon(load(options).settings)
  },
  restore: async (from, options) => {
    const { restore } = await import('../adapters/sqlite/maintenance.ts')
    return restore(from, load(options).settings.db)
  },
}

/** Runs one command line on this process's streams. */
export const runCommandLine = (argv: readonly string[]): Promise<number> => {
  const { stdin, stdout, stderr, env } = process
  return runProgram(argv, { stdin, stdout, stderr, env }, wiring, commands)
}
