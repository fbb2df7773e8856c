import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { startWorld, type World } from '../../support/data/records.ts'
import { execute } from '../../support/data/stored.ts'
import { countingPages, untilStill } from '../../support/http/lists.ts'

const COUNT = 1_000
const UNPACK = { gzip: gunzipSync, br: brotliDecompressSync }
const NAMES = ['gzip', 'br'] as const

let world: World
before(async () => {
  world = await startWorld()
  // These do not compress, so that no socket's buffer holds the list.
  const rows = Array.from(
    { length: COUNT },
    (_, i) => `(1, '+38044${i}', 'Carrier One', '${randomBytes(12_000).toString('base64')}', 'active', 'x', 'x')`,
  )
  await execute(
    world.service.trunkline.storage,
    `INSERT INTO dids (tenant_id, number, provider, description, status, created_at, updated_at) VALUES ${rows.join()}`,
  )
})
after(() => world.close())

interface Asked {
  readonly method?: string
  readonly accept?: string
  readonly session?: string
}

/** A response whose body is read only on demand; fetch would request compression, and decompress. */
async function open(
  path: string,
  { method = 'GET', accept, session = world.session }: Asked,
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(world.service.url)
  const headers = { cookie: session, ...(accept === undefined ? {} : { 'accept-encoding': accept }) }
  const outgoing = request({ hostname, port, path, method, headers, agent: false })
  outgoing.on('error', () => undefined)
  outgoing.end()
  const [response] = await once(outgoing, 'response')
  response.on('error', () => undefined)
  return response
}

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

async function whole(path: string, asked: Asked) {
  const response = await open(path, asked)
  return { headers: response.headers, bytes: await bytesOf(response) }
}

const PAGE = '/api/dids?limit=2'

describe('an answer is packed', () => {
  it('as the client accepts it, whole or as a stream, with the same content', async () => {
    for (const path of [PAGE, '/api/dids', '/api/tenants/1', '/api/console/me'])
      for (const name of NAMES) {
        const plain = await whole(path, {})
        const { headers, bytes } = await whole(path, { accept: name })
        assert.equal(headers['content-encoding'], name, path)
        assert.equal(headers['content-type'], 'application/json; charset=utf-8')
        assert.equal(headers.vary, 'Accept-Encoding')
        assert.equal(headers['content-length'] ?? String(bytes.length), String(bytes.length))
        assert.ok(UNPACK[name](bytes).equals(plain.bytes), path)
        assert.ok(bytes.length < plain.bytes.length)
      }
  })

  it('with brotli if the client accepts both, and with none that it excludes', async () => {
    const encodingFor = async (accept: string) => (await whole(PAGE, { accept })).headers['content-encoding']
    assert.equal(await encodingFor('gzip, deflate, br, zstd'), 'br')
    assert.equal(await encodingFor('br;q=0, gzip;q=0.5'), 'gzip')
    for (const accept of ['identity', 'deflate', 'gzip;q=0', '']) assert.equal(await encodingFor(accept), undefined)
  })

  it('when a client requests it alone', async () => {
    const { headers, bytes } = await whole(PAGE, {})
    assert.deepEqual([headers['content-encoding'], headers.vary], [undefined, 'Accept-Encoding'])
    assert.equal(headers['content-length'], String(bytes.length))
    const head = await whole(PAGE, { method: 'HEAD', accept: 'gzip' })
    assert.deepEqual([head.headers['content-encoding'], head.bytes.length], [undefined, 0])
  })

  it('but not when it is small, nor without a session, nor to a gateway', async () => {
    for (const [path, asked] of [
      ['/api/admin/me', {}],
      ['/api/tenants/77', {}],
      ['/api/dids', { session: '' }],
      ['/webhooks/gateway/1/dlr', { method: 'POST' }],
    ] as const) {
      const { headers } = await whole(path, { ...asked, accept: 'gzip, br' })
      assert.deepEqual([headers['content-encoding'], headers.vary], [undefined, undefined], path)
    }
  })
})

describe('a packed list', () => {
  for (const accept of NAMES) {
    it(`waits for a slow reader, and then arrives whole (${accept})`, () =>
      countingPages(world, async pages => {
        const response = await open('/api/dids', { accept })
        await untilStill(world, pages)
        const read = pages()
        const { data } = JSON.parse(UNPACK[accept](await bytesOf(response)).toString())
        assert.equal(data.length, COUNT)
        assert.ok(read < pages() / 2, `${read} of ${pages()} pages were read ahead`)
      }))

    it(`stops being read when its client goes away, which is not an error (${accept})`, () =>
      countingPages(world, async pages => {
        const all = pages()
        const response = await open('/api/dids', { accept })
        await once(response, 'data')
        const cut = world.service.untilLogged('request cut off')
        response.destroy()
        await cut
        await untilStill(world, pages)
        assert.ok(pages() - all < 60, `${pages()} pages`)
        assert.ok(world.service.logged.every(line => JSON.parse(line).level < 50))
      }))
  }

  it('is not mistaken for complete when it breaks off', () =>
    countingPages(
      world,
      async () => {
        for (const accept of NAMES)
          await assert.rejects(
            open('/api/dids', { accept }).then(async answer => UNPACK[accept](await bytesOf(answer))),
          )
      },
      20,
    ))
})

it('the reference and the description are packed for those who accept that, without a session', async () => {
  for (const path of ['/docs'])
    for (const encoding of ['br', 'gzip']) {
      const response = await fetch(`${world.service.url}${path}`, { headers: { 'accept-encoding': encoding } })
      assert.equal(response.headers.get('content-encoding'), encoding, path)
      assert.match(response.headers.get('vary') ?? '', /Accept-Encoding/i)
      const plain = await fetch(`${world.service.url}${path}`, { headers: { 'accept-encoding': 'identity' } })
      assert.equal(plain.headers.get('content-encoding'), null)
      assert.equal(await response.text(), await plain.text())
      assert.ok(Number(response.headers.get('content-length')) * 4 < Number(plain.headers.get('content-length')))
    }
})
