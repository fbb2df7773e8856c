import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { formatAmount } from '../../core/amounts.ts'
import { addSeconds } from '../../core/dates.ts'
import { asteriskRow } from '../support/data/switch.ts'
import { FULL_SIZE, prefixes, seeded } from './dataset.ts'

/** So many calls of the tenants and extensions of a dataset, as a file to import. */
export async function writeImportedCalls(path: string, count: number): Promise<void> {
  const { tenants, extensions } = FULL_SIZE
  const random = seeded(7)
  const plain = (moment: string): string => moment.slice(0, 19).replace('T', ' ')
  await write(path, function* () {
    yield 'tenant,extension,caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at,ended_at\n'
    for (let i = 0; i < count; i++) {
      const extension = random(extensions)
      const number = 1000 + Math.floor(extension / tenants)
      const seconds = random(600)
      const started = addSeconds('2026-01-01T00:00:00.000000Z', Math.floor((i * 26_000_000) / count))
      const line = [
        `tenant-${extension % tenants}`,
        number,
        number,
        `+380${1_000_000 + random(9_000_000)}`,
        i % 4 ? 'outbound' : 'inbound',
        ['ANSWERED', 'ANSWERED', 'NO ANSWER', 'BUSY'][random(4)],
        seconds,
        Math.ceil(seconds / 6) * 6,
        formatAmount(random(90_000)),
        plain(started),
        plain(addSeconds(started, seconds)),
      ].join()
      yield `${line}\n`
    }
  })
}

/** So many calls of the first tenant, a second apart, as Asterisk writes them. */
export async function writeSwitchCalls(path: string, count: number): Promise<void> {
  const random = seeded(7)
  const deck = prefixes(FULL_SIZE.rates)
  await write(path, function* () {
    for (let n = 0; n < count; n++) {
      const start = new Date(Date.UTC(2026, 10, 1) + n * 1000)
      yield asteriskRow({
        id: `${1_760_000_000 + n}.${n}`,
        accountcode: 'tenant-0',
        from: String(1000 + random(FULL_SIZE.extensions / FULL_SIZE.tenants)),
        to: `00${deck[random(deck.length)]?.[0] ?? '380'}${1_000_000 + random(9_000_000)}`,
        start: start.toISOString().slice(0, 19).replace('T', ' '),
        seconds: random(5) < 3 ? 1 + random(600) : 0,
      })
    }
  })
}

async function write(path: string, lines: () => Iterable<string>): Promise<void> {
  const out = createWriteStream(path)
  for (const line of lines()) if (!out.write(line)) await once(out, 'drain')
  out.end()
  await once(out, 'close')
}
