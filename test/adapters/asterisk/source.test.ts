import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { type Source, source } from '../../../adapters/asterisk/source.ts'
import { IN_FILE, type TelephonePlace } from '../../../adapters/asterisk/telephone-place.ts'
import type { SwitchDirectory } from '../../../core/ports/switching.ts'
import { NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import { directory, extension, type World } from '../../support/switching/directory.ts'
import { directoryOf } from '../../support/switching/freeswitch.ts'

describe('what Asterisk is rendered from', () => {
  let worlds: Map<number, World>
  let reads: string[]
  let rendered: Source
  let all: SwitchDirectory
  const parts = {
    used: async () => ({ tenant: NOTHING_USED, extension: () => NOTHING_USED, extensions: () => new Set<number>() }),
    rates: { of: async () => [] },
  }
  const set = (id: number, slug: string, given: World = {}): unknown =>
    worlds.set(id, { settings: {}, ...given, tenant: { id, slug, ...given.tenant } })

  beforeEach(() => {
    ;[worlds, reads] = [new Map(), []]
    all = directoryOf(() => [...worlds.values()].map(directory))
    const counted: SwitchDirectory = {
      ...all,
      whole: slug => {
        reads.push(slug)
        return all.whole(slug)
      },
      all: () => {
        reads.push('all')
        return all.all()
      },
    }
    rendered = source({ ...parts, directory: counted }, IN_FILE)
    for (const [id, slug] of [
      [1, 'acme'],
      [2, 'beta'],
    ] as const)
      set(id, slug)
  })
  const phones = async (changed: Parameters<Source['refresh']>[0]): Promise<string[]> => {
    const { files } = await rendered.refresh(changed)
    return [...files.pjsip.matchAll(/^\[([a-z]+-\d+)\]\(tl-endpoint\)/gm)].map(([, id]) => id ?? '')
  }

  test('a changed tenant alone is read again; the others are rendered as they were', async () => {
    assert.deepEqual(await phones('all'), ['acme-101', 'acme-102', 'beta-101', 'beta-102'])
    set(1, 'acme', { extensions: [extension('103')] })
    set(2, 'beta', { extensions: [] })
    reads = []
    assert.deepEqual(await phones(new Set([1])), ['acme-103', 'beta-101', 'beta-102'])
    assert.deepEqual(reads, ['acme'])
    assert.deepEqual(await phones(new Set([2])), ['acme-103'])
  })

  test('a new, renamed or deleted tenant makes it read all, and the former slug stays known as inactive', async () => {
    await phones('all')
    set(3, 'gamma')
    assert.deepEqual(await phones(new Set([3])), [
      'acme-101',
      'acme-102',
      'beta-101',
      'beta-102',
      'gamma-101',
      'gamma-102',
    ])
    worlds.delete(2)
    assert.deepEqual(await phones(new Set([2])), ['acme-101', 'acme-102', 'gamma-101', 'gamma-102'])
    assert.deepEqual([...rendered.inactive()], ['beta'])
    set(4, 'beta')
    await phones('all')
    assert.deepEqual([...rendered.inactive()], [], 'the slug is in use again')
  })

  test('the telephones of all tenants are in their place before any rules of dialling are derived', async () => {
    const done: string[] = []
    const place: TelephonePlace = {
      put: async tenant => {
        done.push(`put ${tenant}`)
        return ''
      },
      settle: async () => {
        done.push('settle')
        return ''
      },
    }
    const watched: SwitchDirectory = {
      ...all,
      all: async function* () {
        for await (const found of all.all()) {
          const read: typeof found.dialling.read = (...dialled) => {
            if (done.at(-1) !== 'derive') done.push('derive')
            return found.dialling.read(...dialled)
          }
          yield { ...found, dialling: { ...found.dialling, read } }
        }
      },
    }
    await source({ ...parts, directory: watched }, place).refresh('all')
    assert.deepEqual(done, ['put 1', 'put 2', 'settle', 'derive'])
  })

  test('nothing of a suspended tenant is rendered', async () => {
    set(1, 'acme', { tenant: { status: 'suspended' } })
    assert.deepEqual(await phones('all'), ['beta-101', 'beta-102'])
    assert.deepEqual([...rendered.inactive()], ['acme'])
  })

  test('it names the tenants whose files depend on what their calls use', async () => {
    set(2, 'beta', { limits: { most: { cost_per_day: 10 } } })
    await phones('all')
    assert.deepEqual([...rendered.limited()], [2])
    set(2, 'beta')
    await phones(new Set([2]))
    assert.deepEqual([...rendered.limited()], [])
  })
})
