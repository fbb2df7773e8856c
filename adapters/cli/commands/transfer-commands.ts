import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Command } from 'commander'
import type { Resource } from '../../../core/resources/resource.ts'
import type { Io } from '../context.ts'
import { CliError, EXIT, onEnding } from '../exit.ts'
import { example } from '../help.ts'
import { openStream } from '../input.ts'
import { pluralOf } from '../naming/references.ts'
import type { RunCommand } from '../program.ts'
import { addExportOptions, exportRecords, readExportOptions } from '../transfer/export.ts'
import type { Source } from '../transfer/import/import.ts'
import { addImportOptions, readImportOptions } from '../transfer/import/options.ts'

/** Imports records from a file or standard input, and exports them. */
export const transferTools = (resource: Resource, name: string, run: RunCommand): Command[] => [
  importCommand(resource, name, run),
  exportCommand(resource, name, run),
]

function importCommand(resource: Resource, name: string, run: RunCommand): Command {
  const command = addImportOptions(
    new Command('import')
      .description(`create ${pluralOf(resource)} from CSV, NDJSON or a JSON array`)
      .argument('<FILE|->', 'a file, or - for standard input'),
    resource,
  )
  const line = `trunkline ${name} import ${resource.name}.csv`
  const replacing = `${line} --tenant acme --mode replace --effective 2026-12-01T00:00 --dry-run`
  example(command, `${line} --dry-run`, ...(resource.deckOf === undefined ? [] : [replacing]))
  return run(command, async (context, [path = ''], flags) => {
    const { exitCodeOf, importRecords } = await import('../transfer/import/import.ts')
    const ended = new AbortController()
    const source = await openPath(path, context.io)
    const stopListening = onEnding(code => {
      ended.abort(new CliError(code, 'interrupted: nothing was stored'))
      source.stream.destroy()
    })
    try {
      const summary = await importRecords({
        resource,
        source,
        options: readImportOptions(flags),
        context,
        signal: ended.signal,
      })
      return exitCodeOf(summary)
    } finally {
      stopListening()
      // Does not wait for whoever still writes to it.
      source.stream.destroy()
    }
  })
}

function exportCommand(resource: Resource, name: string, run: RunCommand): Command {
  const command = addExportOptions(
    new Command('export').description(
      `write ${pluralOf(resource)} as CSV, NDJSON or a JSON array, which an import reads back`,
    ),
    resource,
  )
  example(command, `trunkline ${name} export --out ${resource.name}.csv`)
  return run(command, async (context, _words, flags) => {
    await exportRecords(resource, readExportOptions(flags), context)
  })
}

async function openPath(path: string, io: Io): Promise<Source> {
  const stream = await openStream(io, path)
  if (stream) return { name: path, stream }
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile())
    throw new CliError(EXIT.noInput, found ? `${path} is not a regular file` : `there is no file ${path}`)
  return { name: path, stream: (await open(path)).createReadStream(), bytes: found.size }
}
