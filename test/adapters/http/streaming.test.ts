import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, before, describe, it, mock } from 'node:test'
import { startWorld, type World } from '../../support/data/records.ts'
import { rowsOf } from '../../support/data/stored.ts'
import { countingPages, storeCalls, untilStill } from '../../support/http/lists.ts'

const COUNT = 30_000

interface Call {
  readonly id: number
  readonly caller_number: string
  readonly started_at: string
}

let world: World
let expected: Call[]
before(async () => {
  world = await startWorld()
  const { storage } = world.service.trunkline
  await storeCalls(storage, COUNT)
  expected = await rowsOf(storage, 'SELECT id, caller_number, started_at FROM cdrs ORDER BY started_at DESC, id DESC')
})
after(() => world.close())

/** A list whose body is read only on demand. */
async function open(path: string): Promise<IncomingMessage> {
  const { hostname, port } = new URL(world.service.url)
  const outgoing = request({ hostname, port, path, headers: { cookie: world.session }, agent: false })
  outgoing.on('error', () => undefined)
  outgoing.end()
  const response = await new Promise<IncomingMessage>(resolve => outgoing.once('response', resolve))
  response.on('error', () => undefined)
  return response
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8')
  let text = ''
  for await (const piece of response) text += piece
  return text
}

describe('a long list', () => {
  it('arrives whole, in order, as valid JSON', async () => {
    const response = await open('/api/cdrs')
    assert.equal(response.statusCode, 200)
    assert.equal(response.headers['transfer-encoding'], 'chunked')
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    const { message, data }: { message: string; data: (Call & { extension: unknown; cost: string })[] } = JSON.parse(
      await textOf(response),
    )
    assert.equal(message, 'CDRs fetched successfully.')
    assert.deepEqual(
      data.map(({ id, caller_number, started_at }) => ({ id, caller_number, started_at })),
      expected,
    )
    assert.ok(data.every(({ extension, cost }) => extension !== undefined && /^\d+\.\d{4}$/.test(cost)))
  })

  it('is searched whole too', async () => {
    const { data } = (await world.get('/api/cdrs?search=%2B38050299')).json
    assert.deepEqual(
      data.map(({ id }: Call) => id),
      expected.filter(call => call.caller_number.startsWith('+38050299')).map(({ id }) => id),
    )
  })

  it('is an array in a single view as well', async () => {
    const { data } = (await world.get('/api/extensions/1')).json
    assert.equal(data.cdrs.length, COUNT / 2)
  })

  it('lets other requests be answered while it is sent', async () => {
    const response = await open('/api/cdrs')
    let ended = false
    const whole = textOf(response).finally(() => {
      ended = true
    })
    let answered = 0
    while (!ended) {
      const { status } = await world.get('/api/admin/me')
      assert.equal(status, 200)
      answered++
    }
    JSON.parse(await whole)
    assert.ok(answered >= 5, `${answered} answered`)
  })

  it('waits for a slow reader instead of piling up, and then arrives whole', async () => {
    await countingPages(world, async pages => {
      const response = await open('/api/cdrs')
      await untilStill(world, pages)
      const read = pages()
      assert.ok(read > 0)
      const { data } = JSON.parse(await textOf(response))
      assert.equal(data.length, COUNT)
      assert.ok(read < pages() / 4, `${read} of ${pages()} pages`)
    })
  })

  it('stops being read when its client goes away, which is not an error', async () => {
    await countingPages(world, async pages => {
      const response = await open('/api/cdrs')
      response.setEncoding('utf8')
      await once(response, 'data')
      const cut = world.service.untilLogged('request cut off')
      response.destroy()
      assert.equal(JSON.parse(await cut).level, 30)
      await untilStill(world, pages)
      assert.ok(pages() < 100, `${pages()} pages`)
      assert.ok(world.service.logged.every(line => JSON.parse(line).level < 50))
    })
  })

  it('is not mistaken for complete when it breaks off', async () => {
    const { records } = world.service.trunkline.storage
    const list = records.list.bind(records)
    const broken = mock.method(records, 'list', async function* (...given: Parameters<typeof list>) {
      let left = 3
      for await (const page of list(...given)) {
        if (left-- === 0) throw new Error('the disk is gone')
        yield page
      }
    })
    await assert.rejects(open('/api/cdrs').then(textOf))
    broken.mock.restore()
    assert.match(await world.service.untilLogged('the disk is gone'), /"level":50/)
    assert.equal((await world.get('/api/admin/me')).status, 200)
  })
})
