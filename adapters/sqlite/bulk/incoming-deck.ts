import type { DeckChanges } from '../../../core/ports/decks.ts'
import type { DeckTime } from '../../../core/rating/deck-times.ts'
import { rates } from '../../../core/resources/rates.ts'
import { timestamped } from '../../../core/resources/resource.ts'
import type { Connection } from '../database/database.ts'
import type { Named } from './bulk-rows.ts'

/** The rates of a deck that is to replace another. */
export interface IncomingDeck {
  readonly tenantId: number
  /** The SQL of a relation with `seq`, which orders rates of one prefix by age, and what `of` names. */
  readonly rows: string
  /** The SQL of a field's value in the row `s`. */
  of(field: string): string
  readonly named: Named
  /** The deck to compare with; null or the one in force stands for the stored rates. */
  readonly former: DeckTime | null
}

/** An incoming deck whose rates have been matched with the former ones. */
export interface ComparedDeck extends IncomingDeck {
  readonly changes: DeckChanges
}

/** The fields of a rate in its deck. */
export const DECK_FIELDS = Object.keys(rates.fields).filter(name => name !== 'tenant_id')

const isStored = ({ former }: IncomingDeck): boolean => former === null || former.state === 'in force'

/** The SQL of a deck's rates: the stored ones, or those kept aside, with `seq` as their id. */
function formerSql(incoming: IncomingDeck): string {
  return isStored(incoming)
    ? `(SELECT id, id AS rate_id, ${DECK_FIELDS.join()} FROM main.rates WHERE tenant_id = @tenant)`
    : `(SELECT seq AS id, rate_id, ${DECK_FIELDS.join()} FROM main.deck_rates WHERE deck_id = @former)`
}

const namesOf = ({ named, tenantId, former }: IncomingDeck): Named => ({
  ...named,
  tenant: tenantId,
  former: former?.id ?? null,
})

const differs = ({ of }: IncomingDeck): string =>
  `(${DECK_FIELDS.map(name => `t.${name} IS NOT ${of(name)}`).join(' OR ')})`

/** The former rate that each incoming one replaces: the newest of its prefix. */
const MATCHES = 'temp.deck_matches'

/** Finds for each incoming rate the former one of its prefix, and counts the changes. Writes only to `temp`. */
export function compare({ db }: Connection, incoming: IncomingDeck): ComparedDeck {
  const named = namesOf(incoming)
  const count = (sql: string): number => db.prepare<[Named], number>(sql).pluck().get(named) ?? 0
  db.exec(`
    CREATE TEMP TABLE IF NOT EXISTS deck_matches (seq INTEGER PRIMARY KEY, id INTEGER, rate_id INTEGER);
    DELETE FROM ${MATCHES}`)
  const matched = db
    .prepare<[Named]>(
      // Rates kept aside have no index by prefix; as a table of their own they get one for the duration of the query.
      `WITH former AS ${isStored(incoming) ? 'NOT MATERIALIZED' : 'MATERIALIZED'} ${formerSql(incoming)}
       INSERT INTO ${MATCHES} SELECT s.seq, max(t.id), t.rate_id
       FROM ${incoming.rows} s CROSS JOIN former t ON t.prefix = ${incoming.of('prefix')} GROUP BY s.seq`,
    )
    .run(named).changes
  const updated = count(
    `SELECT count(*) FROM ${MATCHES} m CROSS JOIN ${incoming.rows} s ON s.seq = m.seq
     CROSS JOIN ${formerSql(incoming)} t ON t.id = m.id WHERE ${differs(incoming)}`,
  )
  const changes = {
    created: count(`SELECT count(*) FROM ${incoming.rows}`) - matched,
    updated,
    unchanged: matched - updated,
    removed: count(`SELECT count(*) FROM ${formerSql(incoming)}`) - matched,
  }
  return { ...incoming, changes }
}

/** Makes the stored rates those of a compared deck. Unchanged rates keep their id and times. */
export function applyToRates({ db }: Connection, compared: ComparedDeck, now: string): void {
  const { rows, of, changes } = compared
  const named = { ...namesOf(compared), now }
  const run = (sql: string): unknown => db.prepare<[Named]>(sql).run(named)
  if (changes.removed > 0)
    run(`DELETE FROM main.rates WHERE tenant_id = @tenant AND id NOT IN (SELECT id FROM ${MATCHES})`)
  if (changes.updated > 0)
    run(`UPDATE main.rates AS t SET ${DECK_FIELDS.map(name => `${name} = ${of(name)}`).join()}, updated_at = @now
         FROM ${MATCHES} m CROSS JOIN ${rows} s ON s.seq = m.seq WHERE t.id = m.id AND ${differs(compared)}`)
  const stamps = timestamped(rates)
  if (changes.created > 0)
    run(`INSERT INTO main.rates (tenant_id, ${[...DECK_FIELDS, ...stamps].join()})
         SELECT @tenant, ${[...DECK_FIELDS.map(of), ...stamps.map(() => '@now')].join()} FROM ${rows} s
         WHERE s.seq NOT IN (SELECT seq FROM ${MATCHES}) ORDER BY s.seq`)
}

/** Drops what `compare` found. */
export const forgetMatches = ({ db }: Connection): unknown => db.exec(`DROP TABLE IF EXISTS ${MATCHES}`)

/** Keeps the rates of a compared deck aside, with the ids of the former rates that they match. */
export function keepAside({ db }: Connection, deckId: number, compared: ComparedDeck): void {
  const { rows, of } = compared
  db.prepare<[Named]>('DELETE FROM deck_rates WHERE deck_id = @deck').run({ deck: deckId })
  db.prepare<[Named]>(
    `INSERT INTO deck_rates (deck_id, seq, rate_id, ${DECK_FIELDS.join()})
     SELECT @deck, s.seq, m.rate_id, ${DECK_FIELDS.map(of).join()}
     FROM ${rows} s LEFT JOIN ${MATCHES} m ON m.seq = s.seq ORDER BY s.seq`,
  ).run({ ...namesOf(compared), deck: deckId })
}

/** Copies the stored rates to the deck that they belonged to. Returns how many. */
export const keepStored = ({ db }: Connection, deckId: number, tenantId: number): number =>
  db
    .prepare<[Named]>(
      `INSERT INTO deck_rates (deck_id, seq, rate_id, ${DECK_FIELDS.join()})
       SELECT @deck, id, id, ${DECK_FIELDS.join()} FROM rates WHERE tenant_id = @tenant ORDER BY id`,
    )
    .run({ deck: deckId, tenant: tenantId }).changes
