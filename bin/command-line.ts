import { cli, type Wiring } from '../adapters/cli/cli.ts'
import { type Loaded, loadSettings } from '../config/load.ts'
import { withoutSecrets } from '../config/members.ts'
import { odditiesIn } from '../config/oddities.ts'
import { declarations, flagName, isSettingName, type Settings } from '../config/settings.ts'
import type { SetupOptions, SwitchSetup } from '../core/ports/switching/setup.ts'
import { ownAddresses } from './own-address.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What commands work with, by the settings of an environment and their flags. */
export function wiringFor(environment: Environment): Wiring {
  const load = (
    { db, config }: Parameters<Wiring['settings']>[0],
    flags: Readonly<Record<string, string>> = {},
  ): Loaded => loadSettings({ flags: db === undefined ? flags : { ...flags, db }, environment, file: config })
  return {
    settings: options => {
      const loaded = load(options)
      const { settings: values, sources, file } = loaded
      return { values: withoutSecrets(values), sources, file, oddities: odditiesIn(loaded) }
    },
    profiles: async options => (await import('./own-profiles.ts')).ownProfiles(load(options).settings),
    switches: async options => (await import('./switches.ts')).switchesOf(load(options).settings),
    setups: {
      asterisk: async (_options, setup) =>
        checkedReach(setup, (await import('../adapters/asterisk/asterisk.ts')).asterisk.setup(setup)),
      freeswitch: async (options, setup) => {
        const { freeswitch } = await import('../adapters/freeswitch/freeswitch.ts')
        const { settings } = load(options)
        const ownPorts = [settings.port, settings.metrics_port]
        const own = { daemonUrl: ownUrl(settings), ownPorts, addresses: ownAddresses() }
        return checkedReach(setup, freeswitch.setup(setup, own))
      },
    },
    open: async (options, opening) => {
      const { settings } = load(options)
      const { openServices } = await import('./services.ts')
      return openServices(settings, opening)
    },
    daemonFlags: Object.keys(declarations)
      .filter(isSettingName)
      .map(setting => {
        const { about, wants, schema } = declarations[setting]
        const choices = 'enum' in schema ? schema.enum : []
        return { setting, flag: flagName(setting), about, value: wants === 'a path' ? 'dir' : 'value', choices }
      }),
    serve: async (options, flags, force) => {
      const { settings } = load(options, flags)
      const { runDaemon } = await import('./daemon/run-daemon.ts')
      await runDaemon(settings, { force })
    },
    database: async options => {
      const { databasePlace } = await import('./storage/database-place.ts')
      return databasePlace(load(options).settings)
    },
    copyDatabase: async (to, options, watching) => {
      const { copyBetween } = await import('./storage/copy-between.ts')
      return copyBetween(load(options).settings, load({ ...options, db: to }).settings, watching)
    },
  }
}

/** Returns the URL of the daemon for programs on the same machine. */
function ownUrl({ host, port }: Pick<Settings, 'host' | 'port'>): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`
  return `http://${host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Runs one command line with this process's streams. */
export const runCommandLine = (argv: readonly string[]): Promise<number> => {
  const { stdin, stdout, stderr, env } = process
  return cli.run(argv, { stdin, stdout, stderr, env }, wiringFor(env))
}

/** Warns of an address that the switch cannot listen at. */
function checkedReach({ address }: SetupOptions, made: SwitchSetup): SwitchSetup {
  if (address === null || address === '::1' || address.startsWith('127.') || ownAddresses().includes(address))
    return made
  return { ...made, reach: `Warning: this machine has no address ${address}, so a switch here cannot listen at it` }
}
