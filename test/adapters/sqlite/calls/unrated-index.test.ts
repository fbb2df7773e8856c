import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UNRATED } from '../../../../adapters/sqlite/calls/call-ratings.ts'
import { selectionSql } from '../../../../adapters/sqlite/records/selection.ts'
import { cdrs } from '../../../../core/resources/cdrs.ts'
import { sqliteOf } from '../../../support/data/stored.ts'
import { inWorld } from '../../../support/data/switch.ts'

test(
  'unrated calls are looked up by their index where they are few, and counted by it',
  inWorld(async ({ storage }) => {
    const { connection } = sqliteOf(storage)
    const conditions = selectionSql(connection, cdrs, { unrated: true }).map(({ sql }) => sql)
    for (const sql of [
      `SELECT count(*) FROM cdr_ratings r WHERE ${UNRATED}`,
      `SELECT t.id FROM cdrs t WHERE ${conditions.join(' AND ')} ORDER BY t.started_at DESC, t.id DESC LIMIT 100`,
    ])
      assert.match(
        JSON.stringify(connection.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()),
        /USING (COVERING )?INDEX cdr_ratings_unrated/,
        sql,
      )
  }),
)
