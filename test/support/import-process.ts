import { createReadStream, statSync } from 'node:fs'
import { Command } from 'commander'
import { exitCodeOf, importRecords } from '../../adapters/cli/import/import.ts'
import { addImportOptions, readImportOptions } from '../../adapters/cli/import/options.ts'
import { openServices } from '../../bin/services.ts'
import { loadSettings } from '../../config/load.ts'
import { resourceNamed } from '../../core/resources/all.ts'

/** Imports a file as a process of its own: DATABASE RESOURCE FILE [options of import]; prints the summary as JSON. */
const [db = '', resource = '', file = '', ...flags] = process.argv.slice(2)
const { settings } = loadSettings({ flags: { db }, environment: {}, file: undefined })
const command = addImportOptions(new Command()).parse(flags, { from: 'user' })
const services = openServices(settings, { create: true, migrate: true })
const { size } = statSync(file)
const summary = await importRecords(
  resourceNamed(resource),
  { name: file, stream: createReadStream(file), bytes: size },
  readImportOptions(command.opts()),
  {
    io: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: {} },
    options: { output: 'json', quiet: true, verbose: false, color: false, interactive: false },
    open: async () => services,
  },
)
await services.close()
process.exitCode = exitCodeOf(summary)
