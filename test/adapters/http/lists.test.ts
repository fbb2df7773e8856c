import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startWorld, type World } from '../../support/data/records.ts'

let world: World
before(async () => {
  world = await startWorld({ base_url: 'https://pbx.example.com/trunk' })
})
after(() => world.close())

const idsAt = async (path: string): Promise<number[]> =>
  (await world.get(path)).json.data.map(({ id }: { id: number }) => id)

const search = (path: string, text: string): Promise<number[]> =>
  idsAt(`${path}?${new URLSearchParams({ search: text })}`)

describe('a search', () => {
  it('finds part of each documented field, and of no other', async () => {
    const { id } = await world.create('tenants', {
      name: 'Needle-name-x',
      slug: 'needle-slug-x',
      domain: 'needle-domain.example',
      status: 'needle-status',
    })
    for (const text of ['eedle-nam', 'eedle-slu', 'eedle-dom'])
      assert.deepEqual(await search('/api/tenants', text), [id])
    assert.deepEqual(await search('/api/tenants', 'needle-status'), [])
    const cdr = await world.create('cdrs', {
      caller_number: '+700111',
      destination_number: '+700222',
      disposition: 'BUSY',
    })
    assert.deepEqual(await search('/api/cdrs', '700111'), [cdr.id])
    assert.deepEqual(await search('/api/cdrs', '700222'), [cdr.id])
    assert.deepEqual(await search('/api/cdrs', 'busy'), [cdr.id])
    const rate = await world.create('rates', { status: 'retired' })
    assert.deepEqual(await search('/api/rates', 'etire'), [rate.id])
    const gateway = await world.create('sms_gateways', { provider_type: 'kannel-like' })
    assert.deepEqual(await search('/api/sms-gateways', 'KANNEL'), [gateway.id])
  })

  it('ignores case in any script', async () => {
    const { id } = await world.create('queues', { name: 'ÉCOLE Привет ΣΊΣΥΦΟΣ' })
    for (const text of ['école', 'ÉCOLE', 'ПРИВЕТ', 'привет', 'σίσυφος', 'σίσυφοσ', 'é', 'éc'])
      assert.deepEqual(await search('/api/queues', text), [id], text)
    assert.deepEqual(await search('/api/queues', 'ecole'), [])
  })

  it('takes % and _ and quotes literally', async () => {
    const plain = await world.create('dids', { description: 'flat rate 100 percent' })
    const { id } = await world.create('dids', { description: `100%_"sure" it's \\ so` })
    for (const text of ['100%', '%_', '_', '%', '"sure"', `it's`, '\\', '"', `%_"sure" it's \\ so`])
      assert.deepEqual(await search('/api/dids', text), [id], text)
    assert.deepEqual(await search('/api/dids', '100'), [id, plain.id])
  })

  it('finds everything if it is empty or blank', async () => {
    const all = await idsAt('/api/dids')
    for (const query of ['search=', 'search=%20%20', '']) assert.deepEqual(await idsAt(`/api/dids?${query}`), all)
  })

  it('takes at most 255 characters', async () => {
    assert.equal((await world.get(`/api/dids?search=${encodeURIComponent('📞'.repeat(255))}`)).status, 200)
    const { status, json } = await world.get(`/api/dids?search=${'x'.repeat(256)}`)
    assert.equal(status, 422)
    const text = 'The search field must not be greater than 255 characters.'
    assert.deepEqual(json, { message: text, errors: { search: [text] } })
  })

  it('finds the new text of a changed record, and no longer the old one', async () => {
    const { id } = await world.create('rates', { destination: 'Atlantis' })
    assert.deepEqual(await search('/api/rates', 'atlantis'), [id])
    await world.send('PUT', `/api/rates/${id}`, world.body('rates', { destination: 'Lemuria' }))
    assert.deepEqual(await search('/api/rates', 'atlantis'), [])
    assert.deepEqual(await search('/api/rates', 'lemuria'), [id])
    await world.send('DELETE', `/api/rates/${id}`)
    assert.deepEqual(await search('/api/rates', 'lemuria'), [])
  })
})

describe('the order of calls', () => {
  it('is by start, newest first, whatever the order they came in, and by id when they started together', async () => {
    const at = (started_at: string) => world.create('cdrs', { started_at, caller_number: 'order' })
    const [b, d, a, c] = [
      await at('2026-05-02 10:00:00'),
      await at('2026-05-01'),
      await at('2026-05-03T00:30:00+02:00'),
      await at('2026-05-02 10:00:00'),
    ]
    assert.deepEqual(await search('/api/cdrs', 'order'), [a.id, c.id, b.id, d.id])
  })
})

describe('limit and after', () => {
  it('give one page and a link to the next, until there is none', async () => {
    const ids: number[] = []
    for (let i = 0; i < 5; i++) ids.unshift((await world.create('queues', { strategy: 'paged' })).id)
    let path: string | null = '/api/queues?limit=2&search=paged'
    const pages: number[][] = []
    while (path !== null) {
      const { headers, json }: Awaited<ReturnType<World['get']>> = await world.get(path)
      pages.push(json.data.map(({ id }: { id: number }) => id))
      const link = /^<https:\/\/pbx\.example\.com\/trunk(\/[^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')
      assert.equal(link === null, headers.get('link') === null)
      path = link?.[1] ?? null
    }
    assert.deepEqual(pages, [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
  })

  it('page calls by their own order', async () => {
    const started = ['2026-06-01', '2026-06-03', '2026-06-02', '2026-06-03']
    for (const started_at of started) await world.create('cdrs', { started_at, caller_number: 'pages' })
    const all = await search('/api/cdrs', 'pages')
    const paged: number[] = []
    for (
      let after: number | undefined = -1;
      after !== undefined;
      after = paged.length < all.length ? paged.at(-1) : undefined
    )
      paged.push(...(await idsAt(`/api/cdrs?search=pages&limit=1${after === -1 ? '' : `&after=${after}`}`)))
    assert.deepEqual(paged, all)
  })

  it('change nothing when they are absent, and no link is given', async () => {
    const { headers, json } = await world.get('/api/queues')
    assert.ok(json.data.length > 2)
    assert.equal(headers.get('link'), null)
  })

  it('are refused when they make no sense', async () => {
    for (const limit of ['0', '1001', '-1', 'x', '1.5', '']) {
      const { status, json } = await world.get(`/api/queues?limit=${limit}`)
      assert.equal(status, 422, limit)
      assert.deepEqual(Object.keys(json.errors), ['limit'])
    }
    for (const query of ['after=1', 'limit=5&after=x', 'limit=5&after=0']) {
      const { status, json } = await world.get(`/api/queues?${query}`)
      assert.equal(status, 422, query)
      assert.deepEqual(Object.keys(json.errors), ['after'])
    }
    assert.equal((await world.get('/api/cdrs?limit=5&after=999999')).status, 422)
    assert.equal((await world.get('/api/queues?limit=1000')).status, 200)
  })
})
