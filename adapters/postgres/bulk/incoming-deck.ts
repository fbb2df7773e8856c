import type { DeckChanges } from '../../../core/ports/decks.ts'
import type { DeckTime } from '../../../core/rating/deck-times.ts'
import { rates } from '../../../core/resources/rates.ts'
import { timestamped } from '../../../core/resources/resource.ts'
import type { Queries } from '../database/queries.ts'
import { joined, raw, type Sql, sql } from '../database/sql.ts'

/** The rates of a deck that replaces another. */
export interface IncomingDeck {
  readonly tenantId: number
  /** A relation with `seq`, ordered so that the newer of two wins, and the fields that `of` names. */
  readonly rows: Sql
  /** A field's value in the row `s`. */
  of(field: string): Sql
  /** The deck it is compared with; null, or the deck in force, means the stored rates. */
  readonly former: DeckTime | null
}

/** An incoming deck whose rates have been matched with the former ones. */
export interface ComparedDeck extends IncomingDeck {
  readonly changes: DeckChanges
}

/** The fields of a rate in its deck. */
const FIELDS = Object.keys(rates.fields).filter(name => name !== 'tenant_id')
const NAMES = raw(FIELDS.join())

/** The rates of a deck: the stored ones or, for a deck kept aside, its own with `seq` as their id. */
const formerSql = ({ former, tenantId }: IncomingDeck): Sql =>
  former === null || former.state === 'in force'
    ? sql`(SELECT id, id AS rate_id, ${NAMES} FROM rates WHERE tenant_id = ${tenantId})`
    : sql`(SELECT seq AS id, rate_id, ${NAMES} FROM deck_rates WHERE deck_id = ${former.id})`

const differs = ({ of }: IncomingDeck): Sql =>
  sql`(${joined(
    FIELDS.map(name => sql`${raw(`t.${name}`)} IS DISTINCT FROM ${of(name)}`),
    ' OR ',
  )})`

/** Matches each incoming rate to the former rate of its prefix (the newest of several) and counts the changes. */
export async function compare(within: Queries, incoming: IncomingDeck): Promise<ComparedDeck> {
  const { rows, of } = incoming
  const count = async (from: Sql): Promise<number> =>
    (await within.value<number>(sql`SELECT count(*) FROM ${from}`)) ?? 0
  await within.script(
    `CREATE TEMP TABLE IF NOT EXISTS deck_matches (seq bigint PRIMARY KEY, id bigint, rate_id bigint) ON COMMIT DROP;
     TRUNCATE deck_matches`,
  )
  const matched = await within.run(sql`INSERT INTO deck_matches
    SELECT DISTINCT ON (s.seq) s.seq, t.id, t.rate_id FROM ${rows} s JOIN ${formerSql(incoming)} t ON t.prefix = ${of('prefix')}
    ORDER BY s.seq, t.id DESC`)
  await within.script('ANALYZE deck_matches')
  const updated = await count(sql`deck_matches m JOIN ${rows} s ON s.seq = m.seq
    JOIN ${formerSql(incoming)} t ON t.id = m.id WHERE ${differs(incoming)}`)
  const changes = {
    created: (await count(sql`${rows} s`)) - matched,
    updated,
    unchanged: matched - updated,
    removed: (await count(sql`${formerSql(incoming)} t`)) - matched,
  }
  return { ...incoming, changes }
}

/** Replaces the stored rates by those of a compared deck. Unchanged rates keep their id and times. */
export async function applyToRates(within: Queries, compared: ComparedDeck, now: string): Promise<void> {
  const { rows, of, tenantId, changes } = compared
  if (changes.removed > 0)
    await within.run(sql`DELETE FROM rates WHERE tenant_id = ${tenantId} AND id NOT IN (SELECT id FROM deck_matches)`)
  const set = joined(
    FIELDS.map(name => sql`${raw(name)} = ${of(name)}`),
    ', ',
  )
  if (changes.updated > 0)
    await within.run(sql`UPDATE rates AS t SET ${set}, updated_at = ${now}
      FROM deck_matches m JOIN ${rows} s ON s.seq = m.seq WHERE t.id = m.id AND ${differs(compared)}`)
  const stamps = timestamped(rates)
  const values = joined([...FIELDS.map(of), ...stamps.map(() => sql`${now}`)], ', ')
  if (changes.created > 0)
    await within.run(sql`INSERT INTO rates (tenant_id, ${raw([...FIELDS, ...stamps].join())})
      SELECT ${tenantId}, ${values} FROM ${rows} s
      WHERE s.seq NOT IN (SELECT seq FROM deck_matches) ORDER BY s.seq`)
}

/** Stores the rates of a compared deck aside, with the ids of the former rates they match. */
export async function keepAside(within: Queries, deckId: number, { rows, of }: ComparedDeck): Promise<void> {
  await within.run(sql`DELETE FROM deck_rates WHERE deck_id = ${deckId}`)
  await within.run(sql`INSERT INTO deck_rates (deck_id, seq, rate_id, ${NAMES})
    SELECT ${deckId}, s.seq, m.rate_id, ${joined(FIELDS.map(of), ', ')}
    FROM ${rows} s LEFT JOIN deck_matches m ON m.seq = s.seq`)
}

/** Copies the stored rates to the deck they made up until now. Returns how many. */
export const keepStored = (within: Queries, deckId: number, tenantId: number): Promise<number> =>
  within.run(sql`INSERT INTO deck_rates (deck_id, seq, rate_id, ${NAMES})
    SELECT ${deckId}, id, id, ${NAMES} FROM rates WHERE tenant_id = ${tenantId}`)
