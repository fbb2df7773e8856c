#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { cli } from '../adapters/cli/cli.ts'
import { loadSettings } from '../config/load.ts'
import { declarations, environmentName, flagName, isSettingName, type SettingName } from '../config/settings.ts'
import { VERSION } from '../core/version.ts'
import { runDaemon } from './daemon/run-daemon.ts'

const names = Object.keys(declarations).filter(isSettingName)

/** Wraps a text to indented lines of at most 80 columns. */
const wrapped = (text: string): string => text.replaceAll(/(.{1,74})(?: |$)/g, '      $1\n')

const help = (): string => `trunklined ${VERSION}: the administration service of a multi-tenant telephone system

Usage: trunklined [--config FILE] [--force] [--SETTING VALUE …]

  --force  serve the database even if another daemon serves it already

Settings, by flag, environment variable or settings file, in this order:
${names.map(name => `  ${flagName(name)}, ${environmentName(name)}\n${wrapped(declarations[name].about)}`).join('')}`

function readArguments():
  | { flags: Partial<Record<SettingName, string>>; config?: string | undefined; force: boolean }
  | 'help'
  | 'version' {
  const options = Object.fromEntries(names.map(name => [name.replaceAll('_', '-'), { type: 'string' as const }]))
  const { values }: { values: Record<string, unknown> } = parseArgs({
    options: {
      ...options,
      config: { type: 'string' },
      force: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'V' },
    },
  })
  if (values.help) return 'help'
  if (values.version) return 'version'
  const flags = Object.fromEntries(
    names.flatMap(name => {
      const value: unknown = values[name.replaceAll('_', '-')]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
  return { flags, config: typeof values.config === 'string' ? values.config : undefined, force: values.force === true }
}

async function main(): Promise<void> {
  const parsed = readArguments()
  if (parsed === 'help') return void process.stdout.write(help())
  if (parsed === 'version') return void process.stdout.write(`${VERSION}\n`)
  const { settings } = loadSettings({ flags: parsed.flags, environment: process.env, file: parsed.config })
  await runDaemon(settings, parsed)
  process.exit(0)
}

main().catch(error => process.exit(cli.reportDaemonFailure(process, error)))
