#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { EXIT, EXIT_OF } from '../adapters/cli/exit.ts'
import { writeErrors } from '../adapters/cli/terminal/streams.ts'
import { loadSettings } from '../config/load.ts'
import { declarations, environmentName, flagName, isSettingName, type SettingName } from '../config/settings.ts'
import { AppError } from '../core/errors.ts'
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

/** A full disk may have space again soon, so restarting the daemon makes sense. */
const codeOf = ({ code }: AppError): number => (code === 'storage_full' ? EXIT.busy : EXIT_OF[code])

function fail(error: unknown): never {
  const isOurs = error instanceof AppError
  writeErrors(process, `error: ${error instanceof Error ? error.message : String(error)}`)
  if (isOurs && error.details.hint) writeErrors(process, `hint: ${error.details.hint}`)
  const isUsage = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  process.exit(isUsage ? EXIT.usage : isOurs ? codeOf(error) : EXIT.bug)
}

async function main(): Promise<void> {
  const given = readArguments()
  if (given === 'help') return void process.stdout.write(help())
  if (given === 'version') return void process.stdout.write(`${VERSION}\n`)
  const { settings } = loadSettings({ flags: given.flags, environment: process.env, file: given.config })
  await runDaemon(settings, given)
  process.exit(0)
}

main().catch(fail)
