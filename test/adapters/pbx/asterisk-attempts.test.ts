import assert from 'node:assert/strict'
import { appendFileSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { followed, following, hasCalls } from '../../support/data/followed.ts'
import { insert } from '../../support/data/rows.ts'
import { execute } from '../../support/data/stored.ts'
import { asteriskCustomRow, asteriskRow, inWorld, type SwitchWorld, taken, until } from '../../support/data/switch.ts'

/** Rows of one call, each for a telephone that rang. */
const rang = { to: '800', seconds: 0 }
const row = (sequence: number, more: Parameters<typeof asteriskRow>[0] = {}): string =>
  asteriskRow({ ...rang, sequence, ...more })
const answeredRow = (sequence: number, more: Parameters<typeof asteriskRow>[0] = {}): string =>
  row(sequence, { seconds: 30, ...more })

const shown = async (world: SwitchWorld): Promise<unknown[]> =>
  (await world.calls()).map(({ switch_call_id, disposition }) => `${switch_call_id} ${disposition}`)

function* ordersOf<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length === 0) yield []
  for (const [index, item] of items.entries())
    for (const rest of ordersOf(items.toSpliced(index, 1))) yield [item, ...rest]
}

describe('of a call that rang several telephones', () => {
  test(
    'the row of the one that answered is the call, and the others belong to it',
    inWorld(async world => {
      const counts = await taken(world, row(1) + row(2) + answeredRow(3))
      assert.deepEqual(await shown(world), ['1.1/3 ANSWERED'])
      assert.deepEqual([counts.stored, counts.known, counts.legs], [1, 0, 2])
    }),
  )

  for (const [what, rows, call] of [
    ['somebody answered', [row(1), answeredRow(2), row(3)], '1.1/2 ANSWERED'],
    ['nobody answered', [row(1), row(2), row(3)], '1.1/1 NO ANSWER'],
    ['nobody answered, and one was busy', [row(9, { disposition: 'BUSY' }), row(10), row(11)], '1.1/9 BUSY'],
  ] as const)
    test(
      `there is one record when ${what}, in whatever order, together or one by one, and however often they come`,
      inWorld(async world => {
        for (const order of ordersOf(rows)) {
          for (const batches of [[order.join('')], order]) {
            for (const batch of [...batches, ...batches]) await taken(world, batch)
            assert.deepEqual(await shown(world), [call], JSON.stringify(batches))
            await execute(world.storage, 'DELETE FROM cdrs')
          }
        }
      }),
    )

  test(
    'rows of channels that Asterisk linked to the call belong to it too',
    inWorld(async world => {
      const linked = { linkedId: '1.1' }
      const rows = [row(4, { id: '1.2', ...linked }), row(5, { id: '1.3', ...linked }), answeredRow(1)]
      for (const order of ordersOf(rows)) {
        for (const batch of [...order, ...order]) await taken(world, batch)
        assert.deepEqual(await shown(world), ['1.1/1 ANSWERED'])
        await execute(world.storage, 'DELETE FROM cdrs')
      }
      const unanswered = [row(4, { id: '1.2', ...linked }), row(5, { id: '1.3', ...linked }), row(6)]
      for (const order of ordersOf(unanswered)) {
        for (const batch of order) await taken(world, batch)
        assert.deepEqual(await shown(world), ['1.1/6 NO ANSWER'], 'the row of the caller')
        await execute(world.storage, 'DELETE FROM cdrs')
      }
    }),
  )

  test(
    'every row that was answered is billed',
    inWorld(async world => {
      await taken(world, answeredRow(1, { to: '380501112233' }) + row(2) + answeredRow(3, { to: '380501112244' }))
      assert.deepEqual(
        (await world.calls()).map(({ switch_call_id, cost }) => [switch_call_id, cost]),
        [
          ['1.1/1', 123],
          ['1.1/3', 123],
        ],
      )
    }),
  )

  test(
    'a leg to a carrier is billed, even if its number has become one of the tenant’s own meanwhile',
    inWorld(async world => {
      const onLine = (to: string, sequence: number): string =>
        answeredRow(sequence, { to }).replace('"SIP/1"', '"Local/101@line-acme-00000001;2"')
      await taken(world, onLine('+380441234567', 1) + onLine('101', 2))
      assert.deepEqual(
        (await world.calls()).map(({ direction, extension_id }) => [direction, extension_id === world.extensionId]),
        [
          ['outbound', true],
          ['outbound', true],
        ],
      )
      assert.equal((await world.calls())[0]?.cost, 123)
    }),
  )

  test(
    'rows of cdr_custom, and rows without a sequence, are recognised by their uniqueid',
    inWorld(async world => {
      await taken(world, asteriskCustomRow({ ...rang, sequence: 1 }) + asteriskCustomRow({ sequence: 2 }))
      assert.deepEqual(await shown(world), ['1.1/2 ANSWERED'])
      const of18 = (text: string): string => text.replace(/,"[^"]*","[^"]*",\d+\n$/, '\n')
      const rows = [row(1, { id: '2.1' }), row(2, { id: '2.1', to: '801' }), answeredRow(3, { id: '2.1' })].map(of18)
      await taken(world, rows.join(''))
      assert.equal((await world.calls()).length, 2)
    }),
  )

  test(
    'rows of another tenant, of another switch, and of another call are calls of their own',
    inWorld(async world => {
      await insert(world.storage.records, 'tenants', { slug: 'other' })
      await taken(world, answeredRow(1), { switchName: 'one' })
      await taken(world, row(2), { switchName: 'two' })
      await taken(world, row(3, { accountcode: 'other' }), { switchName: 'one' })
      await taken(world, row(4, { id: '1.10' }) + row(5, { id: '1.11' }), { switchName: 'one' })
      assert.equal((await world.calls()).length, 5)
    }),
  )

  test(
    'a feed that is followed, and started again between the rows, has one record',
    inWorld(async world => {
      const path = world.file('Master.csv')
      writeFileSync(path, row(1))
      await following(followed(world, path), () => hasCalls(world, 1))
      appendFileSync(path, row(2) + answeredRow(3))
      await following(followed(world, path), () =>
        until('the call is the one that was answered', async () => (await shown(world)).join() === '1.1/3 ANSWERED'),
      )
    }),
  )
})
