import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { isServerAddress } from '../core/database-address.ts'
import { AppError } from '../core/errors.ts'
import { faultIn, isJsonObject } from '../core/json.ts'
import { isSamePath } from './feeds.ts'
import {
  declarations,
  environmentName,
  flagName,
  isSettingName,
  readSetting,
  type SettingName,
  type Settings,
} from './settings.ts'

/** Where a setting's value came from, for `config show`. */
export type Source = 'flag' | 'environment' | 'file' | 'default'

export interface Loaded {
  readonly settings: Settings
  readonly sources: Readonly<Record<SettingName, Source>>
  /** The file that was read; null if there was none. */
  readonly file: string | null
}

export interface Given {
  readonly flags: Readonly<Partial<Record<SettingName, string>>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The file named by --config, which must exist. */
  readonly file?: string | undefined
}

/** Where an installed program finds its settings. */
export const SYSTEM_FILE = '/etc/trunkline/trunkline.json'

/**
 * Loads the settings: a flag overrides the environment, that the file, that the default. Throws `configuration`,
 * naming the setting and what it must be; `forbidden`.
 */
export function loadSettings({ flags, environment, file: named }: Given): Loaded {
  const file = named ?? (environment.TRUNKLINE_CONFIG || (existsSync(SYSTEM_FILE) ? SYSTEM_FILE : null))
  const inFile = file === null ? {} : readFile(file)
  const sources: Partial<Record<SettingName, Source>> = {}
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(declarations).filter(isSettingName)) {
    const { fallback } = declarations[name]
    // A setting without a default may be null in the file, which means unset.
    const written = inFile[name] === null && fallback === null ? undefined : inFile[name]
    const candidates: [Source, unknown, Label][] = [
      ['flag', flags[name], at => `${flagName(name)}${at}`],
      ['environment', environment[environmentName(name)] || undefined, at => `${environmentName(name)}${at}`],
      ['file', written, at => `${name}${at} in ${file}`],
    ]
    const found = candidates.find(([, value]) => value !== undefined)
    sources[name] = found?.[0] ?? 'default'
    values[name] = found ? checked(name, found[1], found[2]) : fallback
  }
  assertOwnLookupPort(values as Settings)
  assertFolderUnfollowed(values as Settings)
  values['feeds'] = withAsterisk(values as Settings)
  return { settings: values as Settings, sources: sources as Record<SettingName, Source>, file }
}

/** Throws `configuration` if the lookups of FreeSWITCH are to listen where the daemon listens itself. */
function assertOwnLookupPort({ port, metrics_port, freeswitch }: Settings): void {
  const lookupPort = freeswitch?.lookup_port
  if (lookupPort === undefined) return
  const [taken] = Object.entries({ port, metrics_port }).find(([, other]) => other === lookupPort) ?? []
  if (taken !== undefined)
    throw new AppError(
      'configuration',
      `freeswitch.lookup_port is ${lookupPort}, and so is ${taken}; set freeswitch.lookup_port to a free port, and gateway-url of xml_curl.conf in the configuration of FreeSWITCH to the same port.`,
    )
}

/** Throws `configuration` if a feed follows the folder whose records the daemon stores and removes. */
function assertFolderUnfollowed({ feeds, freeswitch }: Settings): void {
  const folder = freeswitch?.cdr_folder
  const index = folder === undefined ? -1 : feeds.findIndex(feed => isSamePath(feed.path, folder))
  if (index >= 0)
    throw new AppError(
      'configuration',
      `feeds[${index}].path is that of freeswitch.cdr_folder, whose records are stored and removed without a feed; remove that feed.`,
    )
}

/** A call must be billed within a second of its end. */
const EVERY_SECONDS = 0.2

/** Adds the feed of Asterisk's call records as its setup writes them, unless a feed replaces it. */
function withAsterisk({ feeds, asterisk, db }: Settings): Settings['feeds'] {
  const path = asterisk?.cdr_file
  if (path === undefined || feeds.some(feed => isSamePath(feed.path, path))) return feeds
  // Each machine of a fleet may have an Asterisk of its own, with the same paths.
  const named = isServerAddress(db) ? { name: `${path} on ${hostname()}` } : {}
  return [...feeds, { format: 'asterisk-csv', path, ...named, timezone: 'UTC', every: EVERY_SECONDS }]
}

/** How messages name a setting, or a place within it. */
type Label = (at: string) => string

function checked(name: SettingName, input: unknown, label: Label): unknown {
  const read = readSetting(name, input)
  if ('says' in read) throw new AppError('configuration', `${label(read.at)} ${read.says}.`)
  const { value } = read
  return name === 'base_url' ? String(value).replace(/\/+$/, '') : value
}

function readFile(path: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EACCES') throw new AppError('forbidden', `The settings file ${path} cannot be read by this user.`)
    const problem = code === 'ENOENT' ? 'is not there' : code === 'EISDIR' ? 'is a folder' : 'cannot be read'
    throw new AppError('configuration', `The settings file ${path} ${problem}.`)
  }
  const content = parse(text, path)
  const unknown = Object.keys(content).find(name => !isSettingName(name))
  if (unknown !== undefined)
    throw new AppError(
      'configuration',
      `${path} has an unknown setting ${JSON.stringify(unknown)}; the settings are ${Object.keys(declarations).join(', ')}.`,
    )
  return content
}

function parse(text: string, path: string): Record<string, unknown> {
  const fault = faultIn(text)
  if (fault !== null) throw new AppError('configuration', `The settings file ${path} is not valid JSON: ${fault}.`)
  const content: unknown = JSON.parse(text)
  if (isJsonObject(content)) return content
  throw new AppError('configuration', `The settings file ${path} must hold a JSON object.`)
}
