import { request as httpRequest } from 'node:http'
import { after, before } from 'node:test'
import { startWorld, type World } from '../data/records.ts'
import { databaseAt } from '../storages.ts'
import { type Answer, temporaryFolder } from './app.ts'
import { ended } from './jobs.ts'

export interface Desk {
  readonly url: string
  readonly session: string
  ask(method: string, path: string, json?: unknown): Promise<Answer>
}

export const deskOf = ({ service, session, send, get }: World): Desk => ({
  url: service.url,
  session,
  ask: (method, path, json) => (method === 'GET' ? get(path) : send(method, path, json)),
})

/** Registers a world with a database in a file for the tests of a file, and a desk in it. */
export function transferPlace() {
  const folder = temporaryFolder()
  let [db, world]: [string, World | null] = ['', null]
  const present = (): World => {
    if (!world) throw new Error('The tests have not begun.')
    return world
  }
  const start = async (): Promise<void> => {
    db = await databaseAt(folder.path, 'transfers.db')
    world = await startWorld({ db })
    await world.service.trunkline.tools.jobs.look()
  }
  before(start)
  after(async () => {
    await present().close()
    folder.remove()
  })
  return {
    get db() {
      return db
    },
    get world() {
      return present()
    },
    get desk() {
      return deskOf(present())
    },
    restart: async (): Promise<void> => {
      await present().close()
      await start()
    },
  }
}

/** Sends a part of an upload from that byte on. */
export async function sendPart({ url, session }: Desk, id: number, at: number, part: Buffer, type = PART) {
  const response = await fetch(`${url}/api/console/uploads/${id}`, {
    method: 'PATCH',
    headers: { cookie: session, 'content-type': type, 'upload-offset': String(at) },
    body: new Uint8Array(part),
  })
  return { status: response.status, body: await response.text() }
}

export const PART = 'application/offset+octet-stream'

/** Sends the first bytes of a part and cuts the connection once the service has them. */
export async function dropPart(desk: Desk, id: number, at: number, part: Buffer, announced: number): Promise<void> {
  const request = httpRequest(`${desk.url}/api/console/uploads/${id}`, {
    method: 'PATCH',
    headers: {
      cookie: desk.session,
      'content-type': PART,
      'upload-offset': String(at),
      'content-length': String(announced),
    },
  })
  request.on('error', () => {})
  request.write(part)
  while (Number((await desk.ask('GET', `/api/console/uploads/${id}`)).json.data.offset) < at + part.length)
    await new Promise(resolve => setTimeout(resolve, 5))
  request.destroy()
}

/** Uploads a text or bytes under that name. */
export async function uploaded(desk: Desk, content: string | Buffer, name = 'in.csv'): Promise<number> {
  const bytes = Buffer.from(content)
  const { json } = await desk.ask('POST', '/api/console/uploads', { name, bytes: bytes.length })
  await sendPart(desk, json.data.id, 0, bytes)
  return json.data.id
}

/** Uploads a file and imports it, and returns the job once it has ended. */
export async function imported(
  desk: Desk,
  collection: string,
  content: string | Buffer,
  body: Readonly<Record<string, unknown>> = {},
  name?: string,
) {
  const upload = await uploaded(desk, content, name)
  return run(desk, collection, { upload, ...body })
}

/** Starts an import of an upload, and returns the job once it has ended. */
export async function run(desk: Desk, collection: string, body: Readonly<Record<string, unknown>>) {
  const { status, json, text } = await desk.ask('POST', `/api/console/imports/${collection}`, body)
  if (status !== 201) throw new Error(text)
  return ended(desk.ask, json.data.id)
}

/** The header of a deck, and that many rows of it. */
export const HEADER = 'prefix,destination,cost_per_minute,billing_increment,status'
export const rates = (count: number, from = 100): string =>
  Array.from({ length: count }, (_, i) => `${from + i},Somewhere,0.0100,60,active\n`).join('')
