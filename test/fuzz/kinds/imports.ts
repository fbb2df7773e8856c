import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import type { OpenApiDocument } from '../../../adapters/http/docs/openapi.ts'
import { isJsonObject } from '../../../core/json.ts'
import type { Here } from '../here.ts'
import type { Kind } from '../kind.ts'
import { mutated } from '../mutate.ts'
import { valueFor } from '../values.ts'

const ROWS = 6

/** What is imported: the command, and the schema of a record. A gateway's host must not be changed by accident. */
const IMPORTED = {
  tenant: 'TenantInput',
  extension: 'ExtensionInput',
  did: 'DIDInput',
  queue: 'QueueInput',
  rate: 'RateInput',
  cdr: 'CDRInput',
} as const

/** For a valid record: values of other records, and values that no other record has. */
const STORABLE: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  tenant_id: fc.constant(1),
  extension_id: fc.constant(null),
  slug: fc.nat().map(n => `t${n}`),
  domain: fc.nat().map(n => `t${n}.example.com`),
  number: fc.integer({ min: 1_000_000, max: 9_999_999 }).map(n => `+38044${n}`),
  extension_number: fc.nat({ max: 9_999 }).map(String),
  queue_number: fc.nat({ max: 9_999 }).map(String),
  prefix: fc.nat({ max: 99_999 }).map(n => `3${n}`),
}

const memberFor = (name: string, schema: Row): fc.Arbitrary<unknown> => {
  const any = valueFor(name, schema, 9)
  const storable = STORABLE[name]
  return storable ? fc.oneof({ weight: 19, arbitrary: storable }, { weight: 1, arbitrary: any }) : any
}

type Row = Readonly<Record<string, unknown>>

const cell = (value: unknown): string => {
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const csv = (rows: readonly Row[]): string => {
  const names = Object.keys(rows[0] ?? {})
  return [names, ...rows.map(row => names.map(name => row[name]))].map(cells => `${cells.map(cell).join()}\n`).join('')
}

const FORMATS: Readonly<Record<string, (rows: readonly Row[]) => string>> = {
  csv,
  ndjson: rows => rows.map(row => `${JSON.stringify(row)}\n`).join(''),
  json: rows => JSON.stringify(rows),
}

const OPTIONS = fc.constantFrom(
  ...['', '--dry-run', '--mode upsert', '--mode skip', '--on-error continue', '--on-error continue --max-errors 1'],
  ...['--tenant acme', '--tenant nobody', '--decimal-comma', "--delimiter ';'", '--format json', '--format csv'],
  ...['--set status=active', '--map status=', '--map name=slug', '--force', '--allow-duplicates', '--no-resume'],
)

interface Import {
  readonly command: string
  readonly format: string
  readonly content: string
  readonly options: string
}

function filesOf(command: string, schema: unknown): fc.Arbitrary<Import> {
  const properties = isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {}
  const members = Object.entries(properties).flatMap(([name, member]) =>
    isJsonObject(member) ? [[name, memberFor(name, member)] as const] : [],
  )
  const rows = fc.array(fc.record(Object.fromEntries(members)), { minLength: 1, maxLength: ROWS })
  return fc
    .tuple(fc.constantFrom(...Object.keys(FORMATS)), rows, OPTIONS)
    .chain(([format, made, options]) =>
      mutated(fc.constant(FORMATS[format]?.(made) ?? '')).map(content => ({ command, format, content, options })),
    )
}

/** Files to import, valid and broken, in every format. */
export function imports(here: Here, { components }: OpenApiDocument): Kind {
  const files = fc.oneof(
    ...Object.entries(IMPORTED).map(([command, schema]) => filesOf(command, components.schemas[schema])),
  )
  return {
    name: 'imports',
    count: 40,
    // The record, its audit entry and a change not yet indexed; and the import's own place.
    rowsPerInput: 3 * ROWS + 2,
    subject: here.subject,
    play: async (seed, count) => {
      const problems: string[] = []
      for (const { command, format, content, options } of fc.sample(files, { seed, numRuns: count })) {
        const path = here.place.path(`import.${format}`)
        writeFileSync(path, content)
        const problem = await here.run(`trunkline ${command} import ${path} ${options}`)
        if (problem) problems.push(`${problem}\n  ${JSON.stringify(content.slice(0, 600))}`)
      }
      return problems
    },
  }
}
