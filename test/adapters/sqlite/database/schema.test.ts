import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { DECK_FIELDS } from '../../../../adapters/sqlite/bulk/incoming-deck.ts'
import { openDatabase } from '../../../../adapters/sqlite/database/database.ts'
import { openStorage } from '../../../../adapters/sqlite/storage.ts'
import { resources } from '../../../../core/resources/all.ts'
import type { Kind } from '../../../../core/resources/field.ts'
import { timestamped } from '../../../../core/resources/resource.ts'
import { smsMessages } from '../../../../core/resources/sms-messages.ts'
import { manualClock } from '../../../support/clock.ts'
import { pagesOf } from '../../../support/data/rows.ts'

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: 0 | 1
  readonly pk: number
}

interface ForeignKey {
  readonly from: string
  readonly table: string
  readonly on_delete: string
}

const TYPES: Readonly<Record<Kind, string>> = {
  text: 'TEXT',
  integer: 'INTEGER',
  decimal: 'INTEGER',
  boolean: 'INTEGER',
  date: 'TEXT',
  json: 'TEXT',
}

/** Internal columns of the storage, beside the declared ones. */
const EXTRA: Readonly<Record<string, readonly string[]>> = {
  sms_messages: ['deadline_at', ...Object.keys(smsMessages.kept)],
}

/** Optional fields that are never null, because they have a default. */
const isNeverNull = ({ kind, required, fallback }: { kind: Kind; required: boolean; fallback: unknown }): boolean =>
  required || (kind !== 'text' && fallback !== null)

const ON_DELETE = { restrict: 'NO ACTION', clear: 'SET NULL', cascade: 'CASCADE' } as const

const connection = openDatabase(':memory:')
const columnsOf = (table: string) => connection.query<[string], Column>('SELECT * FROM pragma_table_info(?)').all(table)

for (const resource of resources) {
  test(`the table ${resource.name} has the declared columns, and no others but those listed here`, () => {
    const declared = ['id', ...Object.keys(resource.fields), ...timestamped(resource), ...(EXTRA[resource.name] ?? [])]
    assert.deepEqual(
      columnsOf(resource.name)
        .map(({ name }) => name)
        .toSorted(),
      declared.toSorted(),
    )
  })

  test(`the columns of ${resource.name} have the type of their field, and are NOT NULL where it has always a value`, () => {
    const columns = new Map(columnsOf(resource.name).map(column => [column.name, column]))
    assert.deepEqual([columns.get('id')?.type, columns.get('id')?.pk], ['INTEGER', 1])
    for (const [name, field] of Object.entries(resource.fields)) {
      const column = columns.get(name)
      assert.equal(column?.type, TYPES[field.kind], name)
      assert.equal(column?.notnull === 1, isNeverNull(field), `${name} NOT NULL`)
    }
    for (const name of timestamped(resource))
      assert.deepEqual([columns.get(name)?.type, columns.get(name)?.notnull], ['TEXT', 1])
  })

  test(`the references of ${resource.name} are foreign keys with the declared action on deletion`, () => {
    const keys = connection.query<[string], ForeignKey>('SELECT * FROM pragma_foreign_key_list(?)').all(resource.name)
    const declared = Object.entries(resource.fields).flatMap(([from, { references }]) =>
      references && typeof references.to === 'string' && references.onDelete !== 'keep'
        ? [{ from, table: references.to, on_delete: ON_DELETE[references.onDelete] }]
        : [],
    )
    const byColumn = (a: { from: string }, b: { from: string }): number => (a.from < b.from ? -1 : 1)
    assert.deepEqual(
      keys.map(({ from, table, on_delete }) => ({ from, table, on_delete })).toSorted(byColumn),
      declared.toSorted(byColumn),
    )
  })

  test(`the database enforces the unique sets of ${resource.name}`, () => {
    const indexes = connection
      .value<[string], string>(
        `SELECT (SELECT group_concat(name) FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno))
         FROM pragma_index_list(?) i WHERE i."unique" AND NOT i.partial`,
      )
      .all(resource.name)
    assert.deepEqual(indexes.toSorted(), resource.unique.map(set => set.join()).toSorted())
  })

  test(`the references of ${resource.name} have an index to go by`, () => {
    const leading = connection
      .value<[string], string>(
        `SELECT (SELECT name FROM pragma_index_info(i.name) WHERE seqno = 0) FROM pragma_index_list(?) i`,
      )
      .all(resource.name)
    const wanted = Object.entries(resource.fields)
      .filter(([, { references }]) => references && typeof references.to === 'string')
      .map(([name]) => name)
    for (const name of wanted) assert.ok(leading.includes(name), `an index on ${resource.name} (${name})`)
  })
}

test('the decks that are kept aside hold every field of a rate', () => {
  const columns = connection.value<[], string>(`SELECT name FROM pragma_table_info('deck_rates')`).all()
  for (const name of DECK_FIELDS) assert.ok(columns.includes(name), `ALTER TABLE deck_rates ADD COLUMN ${name}`)
})

test('every table is strict, so that no value is kept in another type', () => {
  const loose = connection
    .value<[], string>(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict`)
    .all()
  assert.deepEqual(
    loose.filter(name => !name.startsWith('sqlite_')),
    [],
  )
})

test('a page of a list, or of what one record has, is read in its order and not sorted', async () => {
  const { records, connection, close } = openStorage(':memory:', { clock: manualClock() })
  const { db } = connection
  const prepare = mock.method(db, 'prepare')
  for (const { name, embeds } of resources) {
    await pagesOf(records, name)
    for (const embed of embeds)
      if (embed.kind === 'many' && embed.in === 'single')
        await pagesOf(records, embed.from, { where: { [embed.by]: 1 } })
  }
  const pages = prepare.mock.calls
    .map(call => String(call.arguments[0]))
    .filter(sql => /^SELECT(?!.*json_each).*ORDER BY/s.test(sql))
  prepare.mock.restore()
  assert.ok(pages.length > resources.length)
  for (const sql of pages) {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array.from(sql.matchAll(/\?/g), () => 1))
    assert.doesNotMatch(JSON.stringify(plan), /TEMP B-TREE/, sql)
  }
  await close()
})
