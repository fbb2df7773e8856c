import { NUMBERING_PLANS } from './numbering-plans.ts'

/** What the table of numbering plans holds of a country; empty texts for what it has not. Patterns match digits, `.` any. */
export interface PlanLine {
  /** ISO 3166, or the calling code where it belongs to no country. */
  readonly region: string
  readonly callingCode: string
  /** A pattern of what is dialled before a country code. */
  readonly internationalPrefix: string
  /** The trunk prefix, such as 0. */
  readonly trunk: string
  /** A pattern of all that is taken off a national number, or put in another place by `transform`. */
  readonly taken: string
  readonly transform: string
  /** How many digits national numbers have, and those that are dialled without their area code. */
  readonly lengths: readonly number[]
  readonly localLengths: readonly number[]
  readonly numbers: string
  /** A pattern of those that are dialled without the trunk prefix, where there is one. */
  readonly bare: string
  readonly emergency: string
  readonly short: string
}

interface PlanLines {
  readonly byRegion: ReadonlyMap<string, PlanLine>
  /** By calling code, the main country first. */
  readonly byCode: ReadonlyMap<string, readonly PlanLine[]>
}

let known: PlanLines | null = null

/** The plans of all countries; read when the first tenant that has a country needs them. */
export function planLines(): PlanLines {
  known ??= read()
  return known
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

/** The fields stand in the order in which config/build/numbering-plans.ts writes them. */
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
