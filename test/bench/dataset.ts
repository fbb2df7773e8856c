import { existsSync, readFileSync } from 'node:fs'
import { advanceSearchIndexes } from '../../adapters/sqlite/records/search/search-index.ts'
import { openStorage } from '../../adapters/sqlite/storage.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { addSeconds } from '../../core/dates.ts'

export interface Size {
  readonly tenants: number
  readonly extensions: number
  readonly rates: number
  readonly cdrs: number
}

export const FULL_SIZE: Size = { tenants: 100, extensions: 20_000, rates: 171_135, cdrs: 1_000_000 }

/** The same numbers on every run: a small linear congruential generator. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Real prefixes where the shared data lies beside the project, else as many made by a fixed rule. */
export function prefixes(count: number): [prefix: string, destination: string][] {
  const path = '../shared/data/destinations.csv'
  if (!existsSync(path)) return Array.from({ length: count }, (_, i) => [String(1000 + i), `Destination ${i}`])
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1, count + 1)
  return lines.map(line => {
    const comma = line.indexOf(',')
    return [
      line.slice(0, comma),
      line
        .slice(comma + 1)
        .replace(/^"|"$/g, '')
        .replaceAll('""', '"'),
    ]
  })
}

/** A price in units of 0.0001 that depends on the prefix alone. */
export const priceOf = (prefix: string): number => 10 + (Number(prefix.slice(0, 9)) % 4_990)

/** Makes a database of that size at the path, its search index complete. */
export async function makeDataset(path: string, size: Size): Promise<void> {
  const storage = openStorage(path, { create: true, migrate: true, clock: systemClock() })
  const { db } = storage.connection
  const random = seeded(42)
  const now = '2026-11-01T00:00:00.000000Z'
  const insert = (table: string, columns: string, count: number, row: (i: number) => unknown[]): void => {
    const names = columns.split(' ')
    const statement = db.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`)
    for (let start = 0; start < count; start += 10_000)
      db.transaction(() => {
        for (let i = start; i < Math.min(count, start + 10_000); i++) statement.run(...row(i))
      }).immediate()
  }
  insert('tenants', 'name slug domain status timezone max_extensions created_at updated_at', size.tenants, i => [
    `Tenant ${i}`,
    `tenant-${i}`,
    `t${i}.example.com`,
    'active',
    'Europe/Kyiv',
    100_000,
    now,
    now,
  ])
  insert(
    'extensions',
    'tenant_id extension_number display_name secret status voicemail_enabled created_at updated_at',
    size.extensions,
    i => [
      1 + (i % size.tenants),
      String(1000 + Math.floor(i / size.tenants)),
      `Person ${i}`,
      `secret-${i}`,
      'active',
      0,
      now,
      now,
    ],
  )
  const deck = prefixes(size.rates)
  insert(
    'rates',
    'tenant_id prefix destination cost_per_minute billing_increment status created_at updated_at',
    deck.length,
    i => {
      const [prefix, destination] = deck[i] ?? ['', '']
      return [1, prefix, destination, priceOf(prefix), 6, 'active', now, now]
    },
  )
  const dispositions = ['ANSWERED', 'ANSWERED', 'ANSWERED', 'NO ANSWER', 'BUSY']
  insert(
    'cdrs',
    'tenant_id extension_id caller_number destination_number direction disposition duration_seconds bill_seconds cost started_at ended_at created_at updated_at',
    size.cdrs,
    i => {
      const extension = random(size.extensions)
      const seconds = random(600)
      const started = addSeconds('2026-01-01T00:00:00.000000Z', Math.floor((i * 26_000_000) / size.cdrs))
      return [
        1 + (extension % size.tenants),
        extension + 1,
        String(1000 + Math.floor(extension / size.tenants)),
        `+${deck[random(deck.length)]?.[0] ?? '380'}${1_000_000 + random(9_000_000)}`,
        i % 4 ? 'outbound' : 'inbound',
        dispositions[random(5)],
        seconds,
        Math.ceil(seconds / 6) * 6,
        random(90_000),
        started,
        addSeconds(started, seconds),
        now,
        now,
      ]
    },
  )
  while (db.transaction(() => advanceSearchIndexes(storage.connection)).immediate());
  db.exec('ANALYZE')
  await storage.close()
}
