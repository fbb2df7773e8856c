import { writeFileSync } from 'node:fs'
import { after, before, beforeEach } from 'node:test'
import { changed } from '../data/reader.ts'
import { furnish, workplace } from './cli.ts'
import { DECK_HEADER } from './imports.ts'

/**
 * A workplace for tests that replace the rates of acme (380 at 0.0123, 44 at 0.0200) with those of a file, deck.csv.
 * Each test starts with both rates.
 */
export function replaceDesk() {
  const place = workplace()
  before(() => furnish(place))
  after(() => place.remove())

  const change = (sql: string): Promise<unknown[][]> => changed(place.db, sql)
  /** Writes the file to import. */
  const deck = (...rows: string[]): void =>
    writeFileSync(place.path('deck.csv'), [DECK_HEADER, ...rows.map(row => `${row},60,active`), ''].join('\n'))

  beforeEach(async () => {
    for (const table of ['deck_rates', 'decks', 'rates', 'audit']) await change(`DELETE FROM ${table}`)
    await change(
      `INSERT INTO rates (tenant_id, prefix, destination, cost_per_minute, billing_increment, status, created_at, updated_at)
        VALUES (1, '380', 'Ukraine', 123, 60, 'active', '', ''), (1, '44', 'UK', 200, 60, 'active', '', '')`,
    )
    deck('380,Ukraine,0.0123', '44,UK,0.0300', '49,Germany,0.0400')
  })

  return {
    place,
    change,
    deck,
    rates: async (): Promise<unknown[]> =>
      (await change(`SELECT prefix || ' ' || cost_per_minute FROM rates ORDER BY prefix`)).flat(),
    run: (line: string) => place.run(line.replace('deck.csv', place.path('deck.csv'))),
    json: (line: string) => place.json(line.replace('deck.csv', place.path('deck.csv'))),
  }
}
