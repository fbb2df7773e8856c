import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { Command } from 'commander'
import type { Context, GlobalOptions } from '../../../adapters/cli/context.ts'
import { addExportOptions, exportRecords, readExportOptions } from '../../../adapters/cli/transfer/export.ts'
import type { ImportSummary } from '../../../adapters/cli/transfer/import/import.ts'
import { importRecords } from '../../../adapters/cli/transfer/import/import.ts'
import { addImportOptions, readImportOptions } from '../../../adapters/cli/transfer/import/options.ts'
import { openServices } from '../../../bin/services.ts'
import { loadSettings } from '../../../config/load.ts'
import type { BulkCounts } from '../../../core/ports/bulk.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { readerOf } from '../data/reader.ts'
import { sampleBody } from '../data/samples.ts'
import { temporaryFolder } from '../http/app.ts'
import { emptyDatabase } from '../storages.ts'

type Services = Awaited<ReturnType<typeof openServices>>

export interface Desk {
  readonly services: Services
  /** The database file. */
  readonly path: string
  /** A folder for other files of a test. */
  readonly folder: string
  /** Imports a text as if it were a file of that name, with command-line flags. */
  take(resource: string, text: string | Buffer, flags?: readonly string[], name?: string): Promise<Taken>
  /** What the export writes to standard output. */
  give(resource: string, flags?: readonly string[]): Promise<string>
  /** The result of a query, each row as its values joined by `|`. */
  query(sql: string): Promise<string[]>
  create(resource: string, members?: Record<string, unknown>): Promise<void>
  close(): Promise<void>
}

export interface Taken {
  readonly summary: ImportSummary
  readonly stdout: string
  readonly stderr: string
}

const DEFAULTS: GlobalOptions = { output: 'table', quiet: false, verbose: false, color: false, interactive: false }

/** A context with recorded output, on one open database. */
export function listening(services: Services, options: Partial<GlobalOptions> = {}, line: readonly string[] = []) {
  const heard = { stdout: '', stderr: '' }
  const into = (name: 'stdout' | 'stderr') =>
    new Writable({
      write: (chunk, _, done) => {
        heard[name] += String(chunk)
        done()
      },
    })
  const context: Context = {
    io: { stdin: new PassThrough(), stdout: into('stdout'), stderr: into('stderr'), env: {} },
    options: { ...DEFAULTS, ...options },
    line,
    open: async () => services,
  }
  return { context, heard }
}

/** A separate database to import into and export from. */
export async function openDesk(options: Partial<GlobalOptions> = {}): Promise<Desk> {
  const folder = temporaryFolder()
  const files = join(folder.path, 'files')
  mkdirSync(files)
  const database = emptyDatabase(join(folder.path, 'desk.db'))
  await database.ready
  const { db: path } = database
  const { settings } = loadSettings({ flags: { db: path }, environment: {}, file: undefined })
  const services = inSmallBatches(await openServices(settings, { create: true, migrate: true }))
  const reader = await readerOf(path)
  const parsed = (command: Command, flags: readonly string[]) =>
    command
      .exitOverride()
      .parse([...flags], { from: 'user' })
      .opts()
  return {
    services,
    path,
    folder: files,
    take: async (resource, text, flags = [], name = 'in.csv') => {
      const { context, heard } = listening(services, options, ['cdr', 'import', name, ...flags])
      const stream = Readable.from([Buffer.from(text)], { objectMode: false })
      const given = readImportOptions(parsed(addImportOptions(new Command(), resourceNamed(resource)), flags))
      const summary = await importRecords({
        resource: resourceNamed(resource),
        source: { name, stream },
        options: given,
        context,
      })
      return { summary, ...heard }
    },
    give: async (resource, flags = []) => {
      const { context, heard } = listening(services, options)
      const given = readExportOptions(parsed(addExportOptions(new Command(), resourceNamed(resource)), flags))
      await exportRecords(resourceNamed(resource), given, context)
      return heard.stdout
    },
    query: async sql => (await reader.rows(sql)).map(row => row.join('|')),
    create: async (resource, members = {}) => {
      const declared = resourceNamed(resource)
      await services.administration.create(declared, { ...sampleBody(declared), ...members })
    },
    close: async () => {
      await reader.close()
      await services.close()
      await database.release()
      folder.remove()
    },
  }
}

/** A few thousand rows are several batches on any storage. */
const BATCH = 1_000

function inSmallBatches(services: Services): Services {
  const { bulk } = services
  const load: typeof bulk.load = plan => {
    const opened = bulk.load(plan)
    return Object.create(opened, { batchSize: { get: () => Math.min(opened.batchSize, BATCH) } })
  }
  return { ...services, bulk: { ...bulk, load } }
}

/** Opens the desk's services, with `around` wrapped around what stores a batch. */
export function storing({ services }: Desk, around: (store: () => Promise<BulkCounts>) => Promise<BulkCounts>) {
  const { bulk } = services
  const load: typeof bulk.load = plan => {
    const opened = bulk.load(plan)
    const store: typeof opened.store = place => around(() => opened.store(place))
    return Object.assign(Object.create(opened), { store })
  }
  return async () => ({ ...services, bulk: { ...bulk, load } })
}

/** Every column that a deck must have, except the tenant. */
export const DECK_HEADER = 'prefix,destination,cost_per_minute,billing_increment,status'

/** A deck of these rows. */
export const deck = (...rows: string[]): string => `${[DECK_HEADER, ...rows].join('\n')}\n`

/** The header of the calls below. */
export const CALLS =
  'tenant,caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at'

/** This many rows of calls, numbered from there on. */
export const calls = (from: number, count: number, cost = (_: number): string => '1'): string =>
  Array.from({ length: count }, (_, i) => `acme,${from + i},2,outbound,BUSY,0,0,${cost(from + i)},2026-01-01\n`).join(
    '',
  )

/** Adds a rate of the desk's first tenant, apart from what `members` says. */
export const addRate = (desk: Desk, prefix: string, members: Record<string, unknown> = {}): Promise<void> =>
  desk.create('rates', {
    tenant_id: 1,
    prefix,
    destination: `to ${prefix}`,
    cost_per_minute: 0.0123,
    billing_increment: 60,
    status: 'active',
    ...members,
  })

/** All rates, as `Desk.query` gives them. */
export const RATES = 'SELECT prefix, destination, cost_per_minute, billing_increment, status FROM rates ORDER BY id'

/** The errors of an import of rates for the tenant acme, as shown. */
export async function errorsOf(desk: Desk, text: string, flags: readonly string[] = []): Promise<string[]> {
  const { stderr } = await desk.take('rates', text, ['--tenant', 'acme', ...flags], 'deck.csv')
  return stderr.split('\n').filter(line => line.startsWith('deck.csv:') && !/ [\d,]+ rows?: /.test(line))
}
