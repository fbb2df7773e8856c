import { NO_USAGE, type Usage } from '../../../core/rating/usage.ts'
import type { Connection } from '../database/database.ts'

export type Key = string | number

/** Returns the key of a call that has none of its own. */
export type KeyOf = (number: string, startedAt: string) => Key

/** The running totals of one key. */
type Tally = { -readonly [sum in keyof Usage]: Usage[sum] }

/** Adds up calls by the names that `names` gives their keys. */
export interface Tallies {
  /**
   * Runs a statement that selects `tally(key, answered, seconds, bill_seconds, cost, unrated, number, started_at)`,
   * the last two for calls with a null key. Returns the last column of its only row.
   */
  run(sql: string, parameters: readonly (string | number)[]): unknown
  /** Adds a call that nobody answered and that cost nothing. */
  add(key: Key): void
  readonly sums: ReadonlyMap<Key, Usage>
}

/** SQLite's own GROUP BY sorts a million rows, which takes three times as long. */
export function tallying({ db, rows }: Connection): (names: (key: Key) => Key, keyOf?: KeyOf) => Tallies {
  let sumOf: (key: Key) => Tally = () => ({ ...NO_USAGE })
  let findKey: KeyOf = () => ''
  const step = (
    calls: number,
    key: Key | null,
    answered = 0,
    seconds = 0,
    billSeconds = 0,
    cost = 0,
    unrated = 0,
    number = '',
    startedAt = '',
  ): number => {
    const sum = sumOf(key ?? findKey(number, startedAt))
    sum.calls++
    sum.answered += answered
    if (answered) sum.seconds += seconds
    sum.bill_seconds += billSeconds
    sum.cost += cost
    sum.unrated += unrated
    return calls + 1
  }
  db.aggregate('tally', { start: () => 0, step, varargs: true })
  return (names, keyOf = () => '') => {
    const sums = new Map<Key, Tally>()
    const found = finder(sums, names)
    return {
      sums,
      add: key => {
        found(key).calls++
      },
      run: (sql, parameters) => {
        sumOf = found
        findKey = keyOf
        return rows<(string | number)[], unknown[]>(sql)
          .get(...parameters)
          ?.at(-1)
      },
    }
  }
}

function finder(sums: Map<Key, Tally>, names: (key: Key) => Key): (key: Key) => Tally {
  const texts = new Map<string, Tally>()
  // By number, since a map of all rates would take longer than adding up.
  const numbered: Tally[] = []
  const make = (key: Key): Tally => {
    const name = names(key)
    const sum = sums.get(name) ?? { ...NO_USAGE }
    sums.set(name, sum)
    if (typeof key === 'number') numbered[key] = sum
    else texts.set(key, sum)
    return sum
  }
  return key => (typeof key === 'number' ? numbered[key] : texts.get(key)) ?? make(key)
}
