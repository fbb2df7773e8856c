/** What a service without sessions, errors, logs or streams would do with the same database: the ceiling to reach. */
import { closeSync, openSync, writeSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import { hash } from '@node-rs/argon2'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { Sqlite } from '../../adapters/sqlite/database/driver.ts'
import { PARAMETERS } from '../../adapters/system/passwords.ts'

const PIECE = 64 * 1024
const FIELDS =
  'tenant_id extension_id caller_number destination_number direction disposition duration_seconds bill_seconds cost started_at ended_at created_at updated_at'.split(
    ' ',
  )
const SELECT = `SELECT c.id, ${FIELDS.map(name => `c.${name}`).join()},
    t.id AS t_id, t.name AS t_name, t.slug AS t_slug, e.id AS e_id, e.extension_number AS e_number, e.display_name AS e_name
  FROM cdrs c LEFT JOIN tenants t ON t.id = c.tenant_id LEFT JOIN extensions e ON e.id = c.extension_id`
const NEWEST = 'ORDER BY c.started_at DESC, c.id DESC'

type Row = Record<string, string | number | null>

const shown = ({ t_id, t_name, t_slug, e_id, e_number, e_name, ...cdr }: Row) => ({
  ...cdr,
  tenant: { id: t_id, name: t_name, slug: t_slug },
  extension: { id: e_id, extension_number: e_number, display_name: e_name },
})

const db = new Sqlite(process.argv[2] ?? '', { fileMustExist: true })
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.pragma('cache_size = -32768')

const one = db.prepare<[number], Row>(`${SELECT} WHERE c.id = ?`)
const newest = db.prepare<[number], Row>(`${SELECT} ${NEWEST} LIMIT ?`)
const all = db.prepare<[], Row>(`${SELECT} ${NEWEST}`)
const like = db.prepare<Record<string, string>, Row>(
  `${SELECT} WHERE c.caller_number LIKE :text OR c.destination_number LIKE :text OR c.direction LIKE :text
   OR c.disposition LIKE :text ${NEWEST}`,
)
const insert = db.prepare<(string | number | null)[]>(
  `INSERT INTO cdrs (${FIELDS.join()}) VALUES (${FIELDS.map(() => '?').join()})`,
)
const isComplete = (body: Row): boolean =>
  FIELDS.slice(0, 10).every(name => typeof body[name] === 'string' || typeof body[name] === 'number')

/** Every record, read and written as one would in a script. Returns rows a second. */
function iterate(): number {
  const sink = openSync('/dev/null', 'w')
  const started = performance.now()
  let rows = 0
  let piece = ''
  for (const row of all.iterate()) {
    piece += `${rows++ === 0 ? '[' : ','}${JSON.stringify(shown(row))}`
    if (piece.length < PIECE) continue
    writeSync(sink, piece)
    piece = ''
  }
  writeSync(sink, `${piece}]`)
  closeSync(sink)
  return (rows * 1000) / (performance.now() - started)
}

const router = new Router()
router.get('/cdrs', ctx => {
  const { search, limit } = ctx.query
  const rows = typeof search === 'string' ? like.all({ text: `%${search}%` }) : newest.all(Number(limit))
  ctx.type = 'json'
  ctx.body = JSON.stringify({ data: rows.map(shown) })
})
router.get('/page', ctx => {
  const rows = newest
    .all(Number(ctx.query.limit))
    .map(
      ({ id, t_slug, caller_number, destination_number, disposition, bill_seconds, cost, started_at }) =>
        `<tr data-id="${id}">${[t_slug, caller_number, destination_number, disposition, bill_seconds, Number(cost) / 10_000, started_at].map(cell => `<td>${cell}</td>`).join('')}</tr>`,
    )
  ctx.type = 'html'
  ctx.body = `<!doctype html><title>Calls</title><table>${rows.join('')}</table>`
})
router.get('/cdrs/:id', ctx => {
  const row = one.get(Number(ctx.params.id))
  ctx.type = 'json'
  ctx.body = JSON.stringify({ data: row && shown(row) })
})
router.post('/cdrs', bodyParser(), ctx => {
  const body = ctx.request.body as Row
  if (!isComplete(body)) ctx.throw(422)
  const now = new Date().toISOString()
  const row: Row = { ...body, cost: Math.round(Number(body.cost) * 10_000), created_at: now, updated_at: now }
  const { lastInsertRowid } = insert.run(...FIELDS.map(name => row[name] ?? null))
  ctx.status = 201
  ctx.body = { data: { id: Number(lastInsertRowid), ...row } }
})
router.get('/iterate', ctx => {
  ctx.body = { figure: iterate() }
})
router.post('/hash', bodyParser(), async ctx => {
  const { password } = ctx.request.body as Row
  await hash(String(password), PARAMETERS)
  ctx.body = { message: 'hashed' }
})

const server = new Koa()
  .use(router.routes())
  .listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.once('SIGTERM', () => process.exit(0))
