import { appendFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import {
  asteriskCustomRow,
  asteriskRow,
  freeswitchJson,
  freeswitchRow,
  ndjsonRow,
  type SwitchCall,
} from '../../support/data/switch.ts'
import type { Kind } from '../kind.ts'
import { mutated } from '../mutate.ts'
import { daemonOf, type World } from '../world.ts'

const WRITTEN: Readonly<Record<string, (call: SwitchCall) => string>> = {
  'asterisk-csv': asteriskRow,
  'asterisk-custom': asteriskCustomRow,
  'freeswitch-csv': freeswitchRow,
  'freeswitch-json': call => `${freeswitchJson(call)}\n`,
  ndjson: ndjsonRow,
}

const pathOf = (folder: string, format: string): string => join(folder, `${format}.feed`)

/** Empty feeds of each format in that folder, as the setting has them. */
export function makeFeeds(folder: string): readonly object[] {
  return Object.keys(WRITTEN).map(format => {
    const path = pathOf(folder, format)
    writeFileSync(path, '')
    return { format, path, tenant: 'acme', timezone: 'UTC', every: 0.05 }
  })
}

const calls: fc.Arbitrary<SwitchCall> = fc.record({
  id: fc.integer({ min: 1, max: 1e9 }).map(id => `${id}.1`),
  accountcode: fc.constantFrom('acme', 'acme', 'nobody', ''),
  from: fc.constantFrom('101', '+380441234567', 'anonymous', ''),
  to: fc.constantFrom('00380501112233', '+14155550100', '101', 's', ''),
  seconds: fc.integer({ min: 0, max: 90_000 }),
})

/** More than a torn quote may swallow, 16 KiB, so that nothing waits for the next round. */
const calm = (write: (call: SwitchCall) => string, seed: number): string =>
  Array.from({ length: 80 }, (_, n) => write({ id: `${seed}.${n}` })).join('')

const PATIENCE_MS = 20_000

/** Waits until the daemon has read each feed to its end; returns the feeds that it has not. */
async function unread({ folder, db }: World): Promise<string[]> {
  const until = performance.now() + PATIENCE_MS
  const connection = new Sqlite(db, { readonly: true })
  const places = connection.prepare<[], { feed: string; position: number }>('SELECT feed, position FROM feed_places')
  try {
    for (;;) {
      const read = new Map(places.all().map(({ feed, position }) => [basename(feed), position]))
      const left = Object.keys(WRITTEN).filter(format => {
        const path = pathOf(folder, format)
        return (read.get(basename(path)) ?? 0) < statSync(path).size
      })
      if (left.length === 0) return []
      if (performance.now() > until) return left.map(format => `the feed ${format} is not read to its end`)
      await pause(20)
    }
  } finally {
    connection.close()
  }
}

/** Records of switches, valid and broken, in every followed format. */
export function feeds(world: World): Kind {
  const formats = Object.entries(WRITTEN)
  return {
    name: 'feed records',
    count: 200,
    // The call, its rating and a change not yet indexed, or a quarantined record; and the padding.
    rowsPerInput: 12,
    subject: daemonOf(world),
    play: async (seed, count) => {
      for (const [n, [format, write]] of formats.entries()) {
        const records = mutated(calls.map(write))
        const lines = fc.sample(records, { seed: seed + n, numRuns: Math.ceil(count / formats.length) })
        appendFileSync(pathOf(world.folder, format), `${lines.join('')}\n${calm(write, seed)}`)
      }
      return unread(world)
    },
  }
}
