import { createReadStream, statSync, writeSync } from 'node:fs'
import { Command } from 'commander'
import type { Context } from '../../../adapters/cli/context.ts'
import { exitCodeOf, importRecords } from '../../../adapters/cli/transfer/import/import.ts'
import { addImportOptions, readImportOptions } from '../../../adapters/cli/transfer/import/options.ts'
import { openServices } from '../../../bin/services.ts'
import { loadSettings } from '../../../config/load.ts'
import type { Bulk } from '../../../core/ports/bulk.ts'
import { resourceNamed } from '../../../core/resources/all.ts'

/**
 * Imports a file as a separate process: DATABASE RESOURCE FILE STORES [flags]. Prints a line before each store; after
 * STORES of them, unless that is 0, it waits to be killed. At the end it prints its peak resident set.
 */
async function main([db = '', resource = '', file = '', stores = '0', ...flags]: string[]): Promise<void> {
  const { settings } = loadSettings({ flags: { db }, environment: {}, file: undefined })
  const command = addImportOptions(new Command(), resourceNamed(resource)).parse(flags, { from: 'user' })
  const services = await openServices(settings, { create: true, migrate: true, expectsMany: true })
  const context: Context = {
    io: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: {} },
    options: { output: 'json', quiet: true, verbose: false, color: false, interactive: false },
    line: [],
    open: async () => ({ ...services, bulk: watched(services.bulk, Number(stores)) }),
  }
  const source = { name: file, stream: createReadStream(file), bytes: statSync(file).size }
  const summary = await importRecords({
    resource: resourceNamed(resource),
    source,
    options: readImportOptions(command.opts()),
    context,
  })
  await services.close()
  writeSync(1, `peak ${process.resourceUsage().maxRSS} KiB\n`)
  process.exitCode = exitCodeOf(summary)
}

function watched(bulk: Bulk, stores: number): Bulk {
  let count = 0
  return {
    ...bulk,
    load: plan => {
      const load = bulk.load(plan)
      return {
        get batchSize() {
          return load.batchSize
        },
        add: records => load.add(records),
        check: () => load.check(),
        rejections: () => load.rejections(),
        close: () => load.close(),
        store: async place => {
          writeSync(1, `store ${++count}\n`)
          const counts = await load.store(place)
          if (count === stores) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
          return counts
        },
      }
    },
  }
}

main(process.argv.slice(2)).catch(error => {
  writeSync(2, `${error instanceof Error ? error.stack : error}\n`)
  process.exitCode = 70
})
