import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Wiring } from '../../../adapters/cli/program.ts'
import { AppError } from '../../../core/errors.ts'
import { furnish, type Workplace, workplace } from '../../support/cli/cli.ts'
import { readerOf } from '../../support/data/reader.ts'
import { allowDumps, noDumps, onPostgres } from '../../support/storages.ts'

interface Entry {
  readonly id: number
  readonly action: string
  readonly resource: string
  readonly record_name: string | null
  readonly origin: string
  readonly changes: Record<string, unknown>
}

describe('trunkline audit list --security', () => {
  let place: Workplace
  let last = 0
  before(async () => {
    place = workplace()
    await allowDumps(place.folder)
    await furnish(place)
    await fresh()
  })
  after(() => place.remove())

  /** The entries since the last call, earliest first. */
  const fresh = async (): Promise<Entry[]> => {
    const entries: Entry[] = await place.json('trunkline audit list --security --limit 1000')
    const found = entries.filter(({ id }) => id > last).reverse()
    last = Math.max(last, ...entries.map(({ id }) => id))
    return found
  }

  it('has accounts, their passwords and what their role was', async () => {
    for (const line of [
      'trunkline admin create ann@example.com --random-password --role supervisor',
      'trunkline admin role ann@example.com admin',
      'trunkline admin passwd ann@example.com --random-password',
      'trunkline tenant update acme --name Acme',
    ])
      await place.done(line)
    assert.deepEqual(
      (await fresh()).map(({ action, record_name, changes }) => [
        action,
        record_name,
        changes['role'] ?? changes['password'],
      ]),
      [
        ['create', 'ann@example.com', { after: 'supervisor' }],
        ['update', 'ann@example.com', { before: 'supervisor', after: 'admin' }],
        ['update', 'ann@example.com', 'changed'],
      ],
    )
  })

  it('has backups and restores, with their files', { skip: noDumps }, async () => {
    await place.done(`trunkline db backup ${place.path('copy.db')}`)
    const [backup] = await fresh()
    assert.deepEqual(
      [backup?.action, backup?.resource, backup?.changes['file']],
      ['backup', 'database', place.path('copy.db')],
    )
    await place.done(`trunkline db restore ${place.path('copy.db')} --yes`)
    last = 0
    const restored = (await fresh()).at(-1)
    assert.deepEqual([restored?.action, restored?.changes['file']], ['restore', place.path('copy.db')])
    rmSync(place.path('copy.db'))
  })

  it('has exports with secrets, and secrets that were shown, and no others', async () => {
    await fresh()
    for (const line of [
      'trunkline extension export --out ext.csv',
      'trunkline rate export',
      'trunkline extension list --show-secrets',
      'trunkline extension show acme/101 --show-secrets',
      'trunkline extension show acme/101',
    ])
      await place.done(line.replace('ext.csv', place.path('ext.csv')))
    assert.deepEqual(
      (await fresh()).map(({ action, resource, record_name }) => [action, resource, record_name]),
      [
        ['export', 'extensions', null],
        ['export', 'extensions', null],
        ['export', 'extensions', 'acme/101'],
      ],
    )
  })

  it('fails no backup when it cannot be written', { skip: noDumps }, async () => {
    const full = (wiring: Wiring): Wiring => ({
      ...wiring,
      open: async (...given) => {
        const services = await wiring.open(...given)
        const note = () => Promise.reject(new AppError('storage_full', 'The disk is full.'))
        return { ...services, audit: { ...services.audit, note } }
      },
    })
    const { code, stderr } = await place.run(`trunkline db backup ${place.path('other.db')}`, { wiring: full })
    assert.deepEqual([code, /warning: the audit trail could not be written/.test(stderr)], [0, true])
  })

  it('finds its entries by an index', async () => {
    const reader = await readerOf(place.db)
    const indexes = onPostgres ? 'pg_indexes' : 'sqlite_schema'
    const [name, sql] = onPostgres ? ['indexname', 'indexdef'] : ['name', 'sql']
    const found = (await reader.rows(`SELECT ${sql} FROM ${indexes} WHERE ${name} = 'audit_security'`)).flat()
    const condition = /WHERE ([\s\S]*)$/.exec(String(found[0]))?.[1] ?? ''
    // A server reads a table that is small from its beginning to its end, whatever indexes it has.
    if (onPostgres) await reader.rows('SET enable_seqscan = off')
    const asked = `SELECT * FROM audit WHERE id > 5 AND ${condition} ORDER BY id LIMIT 100`
    const plan = await reader.rows(`${onPostgres ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN'} ${asked}`)
    await reader.close()
    assert.match(plan.join(), /(?:INDEX|using|on) audit_security/)
  })
})
