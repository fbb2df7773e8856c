import { grouped } from '../format-count.ts'
import { isJsonObject } from '../json.ts'
import type { ImportPlace } from '../ports/bulk.ts'
import type { HeadDigest, TextInput } from '../ports/transfer.ts'
import { TransferFailure } from './failure.ts'
import type { Guide } from './guide.ts'
import type { ImportOptions } from './options.ts'

/** What is stored about an import with each of its batches. */
export interface Mark {
  readonly offset: number
  readonly line: number
  /** A hash of all bytes before the offset: the rest may be corrected, but not what precedes it. */
  readonly digest: string
  /** A hash of the first bytes, which identifies possible inputs. */
  readonly head: HeadDigest
  /** A hash of the options that decide how rows are read. */
  readonly options: string
  /** The highest id when the import began. */
  readonly before: number
  readonly rows: number
  readonly created: number
  readonly skipped: number
  readonly rejected: number
  readonly blank: number
  /** Their first lines. */
  readonly blankLines: readonly number[]
  readonly rejectBytes: number
  readonly isDone: boolean
}

/** Enough to distinguish inputs; less than the rows of one batch. */
const HEAD_BYTES = 1024

export interface Fingerprint {
  /** The key under which the place is stored. */
  readonly key: string
  readonly head: Mark['head']
  readonly options: string
}

/** Identifies an input. `settings` is everything that decides how its rows are read. */
export function fingerprintOf(
  input: Pick<TextInput, 'headDigest'>,
  settings: unknown,
  digestOf: (text: string) => string,
): Fingerprint {
  const options = digestOf(JSON.stringify(settings))
  const head = input.headDigest(HEAD_BYTES)
  return { key: `${options.slice(0, 16)}:${head.digest.slice(0, 32)}`, head, options }
}

function readMark({ mark }: ImportPlace): Mark | null {
  const stored: unknown = JSON.parse(mark)
  if (!isJsonObject(stored) || !isJsonObject(stored.head)) return null
  const number = (name: string): number => Number(stored[name] ?? 0)
  const head = { length: Number(stored.head.length), digest: String(stored.head.digest) }
  return {
    offset: number('offset'),
    line: number('line'),
    before: number('before'),
    rows: number('rows'),
    created: number('created'),
    skipped: number('skipped'),
    rejected: number('rejected'),
    blank: number('blank'),
    rejectBytes: number('rejectBytes'),
    blankLines: Array.isArray(stored.blankLines) ? stored.blankLines.map(Number) : [],
    digest: String(stored.digest),
    options: String(stored.options),
    isDone: stored.isDone === true,
    head,
  }
}

/**
 * Returns where to continue; null for the beginning. Throws if an import of this input was interrupted and neither
 * --resume nor --no-resume is given, or if the one to resume was of another input.
 */
export function findPlace(
  places: readonly ImportPlace[],
  input: TextInput,
  fingerprint: Fingerprint,
  resume: ImportOptions['resume'],
  guide: Guide,
): { readonly key: string; readonly mark: Mark } | null {
  if (resume === false) return null
  const all = places.flatMap(place => {
    const mark = readMark(place)
    return mark ? [{ key: place.input, mark }] : []
  })
  const same = all
    .filter(({ mark }) => mark.options === fingerprint.options && isHead(input, mark.head))
    .sort((a, b) => b.mark.offset - a.mark.offset)
  if (typeof resume === 'object') return same.find(({ mark }) => mark.before === resume.before) ?? null
  const [best] = same
  if (resume) {
    const interrupted = all.find(({ mark }) => !mark.isDone)
    if (!best && interrupted) throw notTheSame(input.name, interrupted.mark, guide)
    return best ?? null
  }
  if (best && !best.mark.isDone)
    throw new TransferFailure(
      'usage',
      `an import of ${input.name} was interrupted after ${grouped(best.mark.rows)} rows, which are stored; ${guide.restart} reads it from the beginning`,
      { kind: 'resume' },
    )
  return null
}

const isHead = (input: Pick<TextInput, 'headDigest'>, { length, digest }: HeadDigest): boolean => {
  const head = input.headDigest(length)
  return head.length === length && head.digest === digest
}

/** Skips what was stored, after checking that it is the same. */
export async function goTo(input: TextInput, mark: Mark, guide: Guide): Promise<void> {
  if (!(await input.skipTo(mark.offset, mark.line)) || input.digest() !== mark.digest)
    throw notTheSame(input.name, mark, guide)
}

const notTheSame = (name: string, { rows }: Mark, guide: Guide): TransferFailure =>
  new TransferFailure(
    'data',
    `${name} is not what the interrupted import read: its first ${grouped(rows)} rows differ, or the options do; ${guide.restart} reads it from the beginning, and leaves what is stored as it is`,
  )
