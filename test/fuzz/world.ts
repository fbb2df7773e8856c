import { join } from 'node:path'
import type { OpenApiDocument } from '../../adapters/http/docs/openapi.ts'
import { Sqlite } from '../../adapters/sqlite/database/driver.ts'
import { isJsonObject } from '../../core/json.ts'
import { ADMIN, temporaryFolder } from '../support/http/app.ts'
import { type FakeGateway, json, startGateway } from '../support/messaging/gateway.ts'
import { type FuzzedDaemon, startFuzzedDaemon } from './daemon.ts'
import type { Subject } from './kind.ts'

/** A daemon with its own database, feeds and a gateway, and a logged-in account. */
export interface World {
  readonly folder: string
  readonly db: string
  readonly daemon: FuzzedDaemon
  readonly gateway: FakeGateway
  readonly document: OpenApiDocument
  /** A Cookie header. */
  readonly session: string
  /** Sends JSON as the logged-in account. */
  post(path: string, body: object): Promise<{ readonly id: number }>
  close(): Promise<void>
}

/** Answers as gateways do, alternately well and badly. */
function vary(gateway: FakeGateway): void {
  let turn = 0
  gateway.answer(response => {
    turn += 1
    gateway.requests.length = 0
    const plain = (status: number, text: string) => void response.writeHead(status).end(text)
    const replies = [
      () => json(response, 200, { message_id: `gw-${turn}` }),
      () => json(response, 200, { id: 12345678901234 }),
      () => plain(200, 'Success "07033084-5cfd-4812-90a4-e4d24ffb6e3d"'),
      () => plain(200, '{"message_id":123456789012345678901234567890}'),
      () => plain(503, 'down'),
      () => plain(400, `${'['.repeat(100)}`),
      () => void response.destroy(),
    ]
    replies[turn % replies.length]?.()
  })
}

async function login(url: string): Promise<string> {
  const response = await fetch(`${url}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  return (response.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
}

export async function documentOf(url: string): Promise<OpenApiDocument> {
  const document: unknown = await (await fetch(`${url}/openapi.json`)).json()
  const isDocument = (value: unknown): value is OpenApiDocument =>
    isJsonObject(value) && value.openapi === '3.1.0' && isJsonObject(value.paths) && isJsonObject(value.components)
  if (!isDocument(document)) throw new Error('The service does not describe itself.')
  return document
}

/** `feedsIn` creates the feeds in the folder of the database. */
export async function startWorld(feedsIn: (folder: string) => readonly object[]): Promise<World> {
  const folder = temporaryFolder()
  const db = join(folder.path, 'trunkline.db')
  const gateway = await startGateway()
  vary(gateway)
  const daemon = await startFuzzedDaemon(db, feedsIn(folder.path))
  const session = await login(daemon.url)
  return {
    folder: folder.path,
    db,
    daemon,
    gateway,
    session,
    document: await documentOf(daemon.url),
    post: async (path, body) => {
      const headers = { cookie: session, 'content-type': 'application/json' }
      const response = await fetch(daemon.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      const answer: unknown = await response.json()
      if (isJsonObject(answer) && isJsonObject(answer.data)) return { id: Number(answer.data.id) }
      throw new Error(`${path} answered with ${response.status}`)
    },
    close: async () => {
      await daemon.stop()
      await gateway.close()
      folder.remove()
    },
  }
}

/** The rows of all tables except those internal to FTS. */
export function rowsIn(path: string): number {
  const db = new Sqlite(path, { readonly: true })
  const names = db.prepare<[], string>("SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main'")
  const counts = names
    .pluck()
    .all()
    .map(name => Number(db.prepare(`SELECT count(*) FROM "${name}"`).pluck().get()))
  db.close()
  return counts.reduce((sum, count) => sum + count, 0)
}

export const daemonOf = ({ daemon, db }: World): Subject => ({
  maxHeapMiB: 96,
  held: daemon.held,
  rows: () => rowsIn(db),
})
