import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { followFolder } from '../../../adapters/pbx/follow-folder.ts'
import { ingest } from '../../../adapters/pbx/ingest.ts'
import type { SwitchRecord } from '../../../core/ports/calls.ts'
import { followed, following, hasCalls } from '../../support/data/followed.ts'
import { freeswitchJson, inWorld, rules, until } from '../../support/data/switch.ts'
import { temporaryFolder } from '../../support/http/app.ts'

const { path: root, remove } = temporaryFolder()
after(remove)

const emptyFolder = (): string => mkdtempSync(join(root, 'json-'))

/** Writes a file with an old modification time, that second. */
function writeOld(file: string, text: string, second: number): void {
  writeFileSync(file, text)
  utimesSync(file, second, second)
}

interface Followed {
  /** The ids of the calls and the reasons of unusable records, in the order of storing. */
  readonly stored: string[]
  /** How many records were stored together. */
  readonly batches: number[]
  /** One for each read of the folder. */
  readonly lags: number[]
  readonly troubles: string[]
}

/** Follows the folder for this many turns; `between` gets the number of each and the results so far. */
async function turns(path: string, count: number, between: (turn: number, followed: Followed) => void) {
  const stopping = new AbortController()
  const followed: Followed = { stored: [], batches: [], lags: [], troubles: [] }
  const nameOf = (record: SwitchRecord): string => ('call' in record ? record.call.switchCallId : record.reason)
  let turn = 0
  await followFolder({
    path,
    signal: stopping.signal,
    onTrouble: error => followed.troubles.push(String(error)),
    setMissing: () => undefined,
    removes: false,
    store: async records => {
      followed.stored.push(...records.map(nameOf))
      followed.batches.push(records.length)
    },
    setLag: bytes => {
      followed.lags.push(bytes)
    },
    rest: async () => {
      between(turn++, followed)
      if (turn === count) stopping.abort()
    },
  })
  return followed
}

test('an unchanged folder is read only in every 60th turn', async () => {
  const folder = emptyFolder()
  writeOld(join(folder, 'a.cdr.json'), freeswitchJson({ id: 'a' }), 1)
  utimesSync(folder, 1, 1)
  const { stored, lags, troubles } = await turns(folder, 150, () => {})
  assert.deepEqual([stored, lags, troubles], [['a'], [0, 0, 0], []])
})

test('a new file is ingested at the next turn, and a rewritten one within 60', async () => {
  const folder = emptyFolder()
  const [first, second] = [join(folder, 'a.cdr.json'), join(folder, 'b.cdr.json')]
  writeOld(first, freeswitchJson({ id: 'a' }), 1)
  utimesSync(folder, 1, 1)
  await turns(folder, 62, (turn, { stored }) => {
    if (turn === 9) {
      writeOld(second, freeswitchJson({ id: 'b' }), 2)
      writeOld(first, freeswitchJson({ id: 'changed' }), 2)
      utimesSync(folder, 2, 2)
    }
    if (turn === 10) assert.deepEqual(stored, ['a', 'b'])
    if (turn === 60) assert.deepEqual(stored, ['a', 'b', 'changed'])
  })
})

test('a folder that has just changed is read in each turn, since its time may miss the next change', async () => {
  const folder = emptyFolder()
  const { lags } = await turns(folder, 10, () => {})
  assert.equal(lags.length, 10)
})

test('a file that may still grow is read in each turn until it is complete', async () => {
  const folder = emptyFolder()
  const file = join(folder, 'a.cdr.json')
  writeFileSync(file, '')
  utimesSync(folder, 1, 1)
  const whole = freeswitchJson({ id: 'a' })
  await turns(folder, 8, (turn, { stored, lags }) => {
    if (turn === 2) writeFileSync(file, whole.slice(0, 50))
    if (turn === 3) assert.equal(lags.at(-1), 50)
    if (turn === 5) writeFileSync(file, whole)
    if (turn === 6) assert.deepEqual([stored, lags.at(-1)], [['a'], 0])
  })
})

test('a file that cannot be read is reported once, counts as lag, and is stored once it can be read', async () => {
  const folder = emptyFolder()
  const file = join(folder, 'a.cdr.json')
  mkdirSync(file)
  writeFileSync(join(file, 'x'), '')
  utimesSync(file, 1, 1)
  utimesSync(folder, 1, 1)
  const { stored, troubles } = await turns(folder, 182, (turn, { lags, troubles }) => {
    if (turn === 0) assert.ok((lags[0] ?? 0) > 0)
    if (turn === 60) assert.equal(troubles.length, 1, 'it is no news')
    if (turn === 61) utimesSync(file, 2, 2)
    if (turn === 120) assert.equal(troubles.length, 2, 'it has changed')
    if (turn !== 121) return
    rmSync(file, { recursive: true })
    writeOld(file, freeswitchJson({ id: 'a' }), 3)
  })
  assert.deepEqual(stored, ['a'])
  for (const trouble of troubles) assert.match(trouble, /a\.cdr\.json cannot be read/)
})

test(
  'a file too large for one record goes to quarantine with its beginning and its place, by either way',
  inWorld(async ({ storage, quarantine }) => {
    const folder = emptyFolder()
    const file = join(folder, 'a.cdr.json')
    writeOld(file, '['.repeat(5 * 1024 * 1024), 1)
    const { stored } = await turns(folder, 1, () => {})
    const reason = `is the beginning of ${file}, which is larger than 4 MiB`
    assert.deepEqual(stored, [reason])
    const counts = await ingest(folder, { feed: { name: folder, rules: rules() }, format: 'auto' }, storage.calls)
    assert.equal(counts.quarantined, 1)
    const [kept] = await quarantine()
    assert.deepEqual([kept?.reason, kept?.record.length], [reason, 64 * 1024])
  }),
)

test('large files are stored some at a time, so that no more than some MiB of them wait in memory', async () => {
  const folder = emptyFolder()
  for (let n = 1; n <= 4; n++) writeOld(join(folder, `${n}.json`), '['.repeat(3 * 1024 * 1024), 1)
  assert.deepEqual((await turns(folder, 1, () => {})).batches, [3, 1])
})

describe('a followed folder', { timeout: 60_000 }, () => {
  test(
    'stores each record once it is complete, and again when it has changed',
    inWorld(async world => {
      const folder = world.file('json')
      mkdirSync(folder)
      const whole = freeswitchJson({ id: 'aaaa' })
      writeFileSync(join(folder, 'aaaa.cdr.json'), whole.slice(0, 100))
      writeFileSync(join(folder, 'bbbb.cdr.json'), freeswitchJson({ id: 'bbbb' }))
      writeFileSync(join(folder, 'notes.txt'), 'no record')
      const feed = followed(world, folder)
      await following(feed, async () => {
        await hasCalls(world, 1)
        await until('the draft is seen', () => feed.lag() === 100)
        writeFileSync(join(folder, 'aaaa.cdr.json'), whole)
        writeFileSync(join(folder, 'cccc.cdr.json'), '{"torn":')
        utimesSync(join(folder, 'cccc.cdr.json'), 1, 1)
        await hasCalls(world, 2)
        await until('the torn one is put aside', () => feed.counts().quarantined === 1)
        writeFileSync(join(folder, 'cccc.cdr.json'), freeswitchJson({ id: 'cccc' }))
        await hasCalls(world, 3)
        rmSync(join(folder, 'aaaa.cdr.json'))
      })
      assert.deepEqual(
        (await world.calls()).map(({ switch_call_id }) => switch_call_id),
        ['aaaa', 'bbbb', 'cccc'],
      )
      assert.deepEqual(feed.troubles, [])
    }),
  )
})

test('a link that leads out of the folder is not followed; one within is', async () => {
  const folder = emptyFolder()
  const elsewhere = emptyFolder()
  writeOld(join(elsewhere, 'secret.json'), freeswitchJson({ id: 'secret' }), 1)
  writeOld(join(folder, 'a.cdr.json'), freeswitchJson({ id: 'a' }), 1)
  symlinkSync(join(elsewhere, 'secret.json'), join(folder, 'out.cdr.json'))
  symlinkSync(join(folder, 'a.cdr.json'), join(folder, 'within.cdr.json'))
  const { stored, troubles } = await turns(folder, 2, () => undefined)
  assert.deepEqual(stored, ['a', 'a'])
  assert.equal(troubles.length, 1)
  assert.match(troubles[0] ?? '', /out\.cdr\.json cannot be read/)
})

test(
  'with the setting for it, a file is removed once its record is stored, in quarantine too',
  inWorld(async world => {
    const folder = emptyFolder()
    writeFileSync(join(folder, 'a.cdr.json'), freeswitchJson({ id: 'a' }))
    writeOld(join(folder, 'torn.cdr.json'), '{"variables":', 1)
    writeOld(join(folder, 'large.cdr.json'), 'x'.repeat(4 * 1024 * 1024 + 1), 1)
    writeFileSync(join(folder, 'note.txt'), 'of the operator')
    const feed = followed(world, folder, { removes: true })
    await following(feed, async () => {
      await until('they are gone', () => readdirSync(folder).length === 2)
      writeFileSync(join(folder, 'b.cdr.json'), freeswitchJson({ id: 'b' }))
      await until('the later one is gone', () => readdirSync(folder).length === 2)
      await hasCalls(world, 2)
    })
    assert.deepEqual(readdirSync(folder).sort(), ['large.cdr.json', 'note.txt'])
    assert.equal((await world.quarantine()).length, 2)
    assert.deepEqual(feed.troubles, [])
  }),
)
