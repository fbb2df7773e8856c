import { existsSync, readFileSync } from 'node:fs'
import { AppError } from '../core/errors.ts'
import { isJsonObject } from '../core/json.ts'
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
  /** The file that was read, if there was one. */
  readonly file: string | null
}

export interface Given {
  readonly flags: Readonly<Partial<Record<SettingName, string>>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The file named by --config, which must exist then. */
  readonly file?: string | undefined
}

const SYSTEM_FILE = '/etc/trunkline/trunkline.json'

/** Flag over environment over file over default. Throws `configuration`, naming the setting and what it wants. */
export function loadSettings({ flags, environment, file: named }: Given): Loaded {
  const file = named ?? (environment.TRUNKLINE_CONFIG || (existsSync(SYSTEM_FILE) ? SYSTEM_FILE : null))
  const inFile = file === null ? {} : readFile(file)
  const sources: Partial<Record<SettingName, Source>> = {}
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(declarations).filter(isSettingName)) {
    const candidates: [Source, unknown, string][] = [
      ['flag', flags[name], flagName(name)],
      ['environment', environment[environmentName(name)] || undefined, environmentName(name)],
      ['file', inFile[name], `${name} in ${file}`],
    ]
    const [source, given, label] = candidates.find(([, value]) => value !== undefined) ?? ['default', undefined, name]
    sources[name] = source
    values[name] = source === 'default' ? declarations[name].fallback : checked(name, given, label)
  }
  return { settings: values as Settings, sources: sources as Record<SettingName, Source>, file }
}

function checked(name: SettingName, given: unknown, label: string): unknown {
  const value = readSetting(name, given)
  if (value === undefined)
    throw new AppError('configuration', `${label} must be ${declarations[name].wants}, not ${JSON.stringify(given)}.`)
  return name === 'base_url' ? String(value).replace(/\/+$/, '') : value
}

function readFile(path: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new AppError('configuration', `The settings file ${path} cannot be read.`)
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
  try {
    const content: unknown = JSON.parse(text)
    if (isJsonObject(content)) return content
  } catch {
    // Told below: what is no JSON is no object either.
  }
  throw new AppError('configuration', `The settings file ${path} must hold a JSON object.`)
}
