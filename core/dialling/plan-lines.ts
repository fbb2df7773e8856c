import { NUMBERING_PLANS } from './numbering-plans.ts'

/**
 * A country's line in the table of numbering plans; empty texts where it has nothing. Patterns match digits, `.` any.
 */
export interface PlanLine {
  /** ISO 3166, or the calling code if it belongs to no country. */
  readonly region: string
  readonly callingCode: string
  /** A pattern of the international prefix. */
  readonly internationalPrefix: string
  /** The trunk prefix, such as 0. */
  readonly trunk: string
  /** A pattern of what is removed from a national number, or rearranged by `transform`. */
  readonly taken: string
  readonly transform: string
  /** The lengths of national numbers, and of those dialled without the area code. */
  readonly lengths: readonly number[]
  readonly localLengths: readonly number[]
  readonly numbers: string
  /** A pattern of national numbers that are dialled without the trunk prefix, in a country that has one. */
  readonly bare: string
  readonly emergency: string
  readonly short: string
}

interface PlanLines {
  readonly byRegion: ReadonlyMap<string, PlanLine>
  /** By calling code, the main country first. */
  readonly byCode: ReadonlyMap<string, readonly PlanLine[]>
}

let parsed: PlanLines | null = null

/** Returns the plans of all countries, parsed on first use. */
export function planLines(): PlanLines {
  parsed ??= read()
  return parsed
}

function read(): PlanLines {
  const byRegion = new Map<string, PlanLine>()
  const byCode = new Map<string, PlanLine[]>()
  for (const text of NUMBERING_PLANS.trim().split('\n')) {
    const line = lineOf(text)
    byRegion.set(line.region, line)
    const sharing = byCode.get(line.callingCode)
    if (sharing) sharing.push(line)
    else byCode.set(line.callingCode, [line])
  }
  return { byRegion, byCode }
}

/** The fields are in the order that config/build/numbering-plans.ts writes. */
function lineOf(text: string): PlanLine {
  const fields = text.split(' ').map(field => (field === '-' ? '' : field))
  const [region = '', callingCode = '', internationalPrefix = '', trunk = '', taken = '', transform = ''] = fields
  const [lengths, localLengths, numbers = '', bare = '', emergency = '', short = ''] = fields.slice(6)
  return {
    ...{ region, callingCode, internationalPrefix, trunk, taken: taken || trunk, transform },
    ...{ lengths: numbersIn(lengths), localLengths: numbersIn(localLengths) },
    ...{ numbers, bare, emergency, short },
  }
}

const numbersIn = (list = ''): number[] => (list === '' ? [] : list.split(',').map(Number))
