import { type FieldError, invalid } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../json.ts'
import type { BulkCounts } from '../../ports/bulk.ts'
import { Problem } from '../../resources/field.ts'
import type { Resource } from '../../resources/resource.ts'
import { broken } from '../../resources/values/field-errors.ts'
import { FORMATS, type Format } from '../../transfer/formats.ts'
import { type ImportOptions, MODES, ON_ERROR } from '../../transfer/options.ts'

/** The contents of a request for an import. */
export interface AskedImport {
  readonly upload: number
  readonly tenantId: number | null
  readonly options: ImportOptions
  readonly agreed: BulkCounts | null
}

/** The contents of a request for an export. */
export interface AskedExport {
  readonly format: Format
  readonly withSecrets: boolean
  readonly escapeFormulas: boolean
  readonly bom: boolean
  readonly delimiter?: string
}

const MOST_PAIRS = 200
const LONGEST = 255
/** Errors that a job itself holds; its file has all of them. */
const KEPT_ERRORS = 100
const COUNTS = ['created', 'updated', 'unchanged', 'removed', 'skipped', 'rejected'] as const

/** Reads the members of a body, and gathers their errors. */
function reader(body: unknown) {
  const members: JsonObject = isJsonObject(body) ? body : {}
  const errors: FieldError[] = []
  const wrong = (name: string, predicate: string): void => {
    errors.push(broken(name, new Problem('format', predicate)))
  }
  return {
    whole: (name: string): number | null => {
      const value = members[name]
      if (value === undefined || value === null) return null
      if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
      wrong(name, 'must be an id')
      return null
    },
    flag: (name: string): boolean => {
      const value = members[name] ?? false
      if (typeof value !== 'boolean') wrong(name, 'must be true or false')
      return value === true
    },
    text: (name: string, longest = LONGEST): string | undefined => {
      const value = members[name]
      if (value === undefined || value === null || value === '') return undefined
      if (typeof value === 'string' && value.length <= longest) return value
      wrong(name, `must be a text of at most ${longest} characters`)
      return undefined
    },
    choice: <const T extends string>(name: string, choices: readonly T[]): T | undefined => {
      const value = members[name]
      if (value === undefined || value === null) return undefined
      const found = choices.find(choice => choice === value)
      if (found === undefined) wrong(name, `must be ${choices.join(', ')}`)
      return found
    },
    /** An object of texts, as pairs. */
    pairs: (name: string): (readonly [string, string])[] => {
      const value = members[name] ?? {}
      const pairs = isJsonObject(value) ? Object.entries(value) : []
      const isFine =
        isJsonObject(value) &&
        pairs.length <= MOST_PAIRS &&
        pairs.every(([key, text]) => typeof text === 'string' && key.length <= LONGEST)
      if (!isFine) wrong(name, `must be an object of at most ${MOST_PAIRS} texts`)
      return isFine ? pairs.map(([key, text]) => [key, String(text)] as const) : []
    },
    counts: (name: string): BulkCounts | null => {
      const value = members[name]
      if (value === undefined || value === null) return null
      const [created = 0, updated = 0, unchanged = 0, removed = 0, skipped = 0, rejected = 0] = COUNTS.map(count =>
        isJsonObject(value) ? Number(value[count] ?? 0) : Number.NaN,
      )
      const counts = { created, updated, unchanged, removed, skipped, rejected }
      if (Object.values(counts).every(Number.isSafeInteger)) return counts
      wrong(name, 'must hold the counts of a check')
      return null
    },
    wrong,
    end: (): void => {
      if (errors.length > 0) throw invalid(errors)
    },
  }
}

function delimiterIn(read: ReturnType<typeof reader>): { readonly delimiter?: string } {
  const delimiter = read.text('delimiter', 3)
  if (delimiter === undefined) return {}
  const one = delimiter === 'tab' ? '\t' : delimiter
  if (one.length === 1 && !'"\r\n'.includes(one)) return { delimiter: one }
  read.wrong('delimiter', 'must be one character, or tab')
  return {}
}

/** Reads a request for an import. Throws `invalid`. */
export function askedImport(resource: Resource, body: unknown): AskedImport {
  const read = reader(body)
  const upload = read.whole('upload')
  const format = read.choice('format', FORMATS)
  const effective = read.text('effective')
  const resume = read.choice('resume', ['continue', 'restart'])
  const tenantId = read.whole('tenant')
  const asked = {
    upload: upload ?? 0,
    tenantId,
    agreed: read.counts('agreed'),
    options: {
      map: read.pairs('map'),
      set: read.pairs('set'),
      mode:
        read.choice('mode', resource.deckOf === undefined ? MODES.filter(mode => mode !== 'replace') : MODES) ??
        'insert',
      onError: read.choice('on_error', ON_ERROR) ?? 'stop',
      maxErrors: KEPT_ERRORS,
      dryRun: read.flag('dry_run'),
      decimalComma: read.flag('decimal_comma'),
      bom: false,
      allowDuplicates: false,
      force: read.flag('force'),
      allowEmpty: read.flag('allow_empty'),
      ...(tenantId === null ? {} : { tenant: String(tenantId) }),
      ...(format === undefined ? {} : { format }),
      ...(effective === undefined ? {} : { effective }),
      ...(resume === undefined ? {} : { resume: resume === 'continue' }),
      ...delimiterIn(read),
    },
  } satisfies AskedImport
  if (upload === null) read.wrong('upload', 'is required: the id of an upload')
  read.end()
  return asked
}

/** Reads a request for an export. Throws `invalid`. */
export function askedExport(body: unknown): AskedExport {
  const read = reader(body)
  const asked = {
    format: read.choice('format', FORMATS) ?? 'csv',
    withSecrets: read.flag('secrets'),
    escapeFormulas: read.flag('escape_formulas'),
    bom: read.flag('bom'),
    ...delimiterIn(read),
  }
  if (asked.format !== 'csv' && (asked.escapeFormulas || asked.bom || 'delimiter' in asked))
    read.wrong('format', 'must be csv for what is asked for')
  read.end()
  return asked
}

/** Reads a request for an upload. Throws `invalid`. */
export function askedUpload(body: unknown): { readonly name: string; readonly bytes: number } {
  const read = reader(body)
  const name = read.text('name')
  const bytes = read.whole('bytes')
  if (name === undefined) read.wrong('name', 'is required')
  if (bytes === null) read.wrong('bytes', 'is required: how long the file is, at least 1')
  read.end()
  return { name: name ?? '', bytes: bytes ?? 0 }
}
