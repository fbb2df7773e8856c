import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { signedIn } from '../../../support/http/accounts.ts'
import { ADMIN, type Answer } from '../../../support/http/app.ts'
import { ended, keptOf } from '../../../support/http/jobs.ts'
import { login, sessionOf } from '../../../support/http/sessions.ts'
import { type Desk, HEADER, imported, rates, run, transferPlace, uploaded } from '../../../support/http/transfers.ts'

const place = transferPlace()

const newTenant = async (members = {}): Promise<number> => (await place.world.create('tenants', members)).id
const list = async (collection: string, query = '') =>
  (await place.world.get(`/api/console/records/${collection}?limit=1000${query}`)).json.data
const trail = async (action: string, resource: string) =>
  (await place.world.get(`/api/console/audit?action=${action}&resource=${resource}`)).json.data.entries

describe('an import', () => {
  it('is checked first, then run with the same file, and noted with the account', async () => {
    const tenant = await newTenant()
    const upload = await uploaded(place.desk, `${HEADER}\n${rates(500)}`, 'deck.csv')
    const checked = await run(place.desk, 'rates', { upload, tenant, dry_run: true })
    assert.deepEqual(
      [checked.state, checked.outcome.created, (await list('rates', `&tenant=${tenant}`)).length],
      ['done', 500, 0],
    )
    const done = await run(place.desk, 'rates', { upload, tenant })
    assert.deepEqual(
      [done.state, done.outcome.created, (await list('rates', `&tenant=${tenant}`)).length],
      ['done', 500, 500],
    )
    const [entry] = await trail('import', 'rates')
    assert.deepEqual([entry.actor, entry.changes.file, entry.changes.created], [ADMIN.email, 'deck.csv', 500])
  })

  it('is among the figures of the dashboard while it runs, for its own tenant', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()]
    const [own, foreign] = [await signedInDesk(tenant), await signedInDesk(other)]
    const upload = await uploaded(own, `${HEADER}\n${rates(20_000)}`)
    const { data } = (await own.ask('POST', '/api/console/imports/rates', { upload, tenant, dry_run: true })).json
    const jobsOf = async ({ ask }: Desk) =>
      (await ask('GET', '/api/console/pulse')).json.data.jobs.map(({ id }: { id: number }) => id)
    assert.deepEqual(await Promise.all([own, place.desk, foreign].map(jobsOf)), [[data.id], [data.id], []])
    await ended(own.ask, data.id)
    assert.deepEqual(await jobsOf(own), [])
  })

  it('lists every error with its line, page by page, and returns the rejected rows', async () => {
    const tenant = await newTenant()
    const bad = Array.from({ length: 450 }, (_, i) => `${500 + i},,0.01,60,active\n`).join('')
    const job = await imported(place.desk, 'rates', `${HEADER}\n${rates(2)}${bad}`, { tenant, on_error: 'continue' })
    assert.deepEqual([job.outcome.created, job.outcome.rejected, job.outcome.errors.length], [2, 450, 100])
    const lines: number[] = []
    for (let from: number | null = 0; from !== null; ) {
      const { json }: Answer = await place.world.get(`/api/console/jobs/${job.id}/errors?from=${from}`)
      const { data } = json
      lines.push(...data.errors.map(({ line }: { line: number }) => line))
      from = data.next
    }
    assert.deepEqual(
      lines,
      Array.from({ length: 450 }, (_, i) => i + 4),
    )
    const file = await place.world.get(`/api/console/jobs/${job.id}/file`)
    assert.equal(file.text.split('\n').length, 452)
    assert.match(file.text, /^import_error,prefix,/)
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="rejected-in\.csv"/)
  })

  it('reads columns as mapped, and sets values for all rows', async () => {
    const tenant = await newTenant()
    const content = 'Code;Where;Price;Note\n380;Ukraine;0,0123;x\n'
    const body = {
      tenant,
      map: { Code: 'prefix', Where: 'destination', Price: 'cost_per_minute', Note: '' },
      set: { billing_increment: '60', status: 'active' },
      decimal_comma: true,
    }
    const job = await imported(place.desk, 'rates', content, body)
    assert.equal(job.outcome?.created, 1, JSON.stringify(job))
    const [rate] = await list('rates', `&tenant=${tenant}`)
    assert.deepEqual([rate.prefix, rate.destination, rate.cost_per_minute], ['380', 'Ukraine', '0.0123'])
  })

  it('keeps names unchanged, whatever they contain', async () => {
    const tenant = await newTenant()
    const name = '"><img src=x onerror=alert(1)>\u202egnp.csv'
    const destination = '<b>Київ</b> \u202eمدينة =1+1'
    const job = await imported(
      place.desk,
      'rates',
      `\uFEFF${HEADER.replaceAll(',', ';')}\n380;"${destination}";0.01;60;active\n`,
      { tenant },
      name,
    )
    assert.deepEqual([job.file, job.outcome.created], [name, 1])
    assert.equal((await list('rates', `&tenant=${tenant}`))[0].destination, destination)
    const digits = '12345678901234567890'
    const slug = 'twenty-digits'
    const body = { ...place.world.body('tenants'), slug, status: 'active', settings: { big: 0 } }
    const text = JSON.stringify([body]).replace('"big":0', `"big":${digits}`)
    const made = await imported(place.desk, 'tenants', text, {}, 'tenants.json')
    assert.equal(made.outcome?.created, 1, JSON.stringify(made.outcome.errors))
    assert.match((await place.world.get(`/api/tenants?search=${slug}`)).text, new RegExp(`"big":${digits}`))
  })

  it('of a file that is not UTF-8 says so, and stores nothing', async () => {
    for (const [content, reason] of [
      [Buffer.from(`\uFEFF${HEADER}\n`, 'utf16le'), /^x\.csv is UTF-16, not UTF-8\.$/],
      [Buffer.from([0x50, 0x4b, 3, 4, 0xff]), /^x\.csv is a workbook or a zip file, not text: save it as CSV\.$/],
      [Buffer.from(`${HEADER}\n380,Montr\xe9al,1,1,x\n`, 'latin1'), /^x\.csv:2: the text is not UTF-8/],
    ] as const) {
      const { state, failure } = await imported(place.desk, 'rates', content, { tenant: await newTenant() }, 'x.csv')
      assert.equal(state, 'failed')
      assert.match(failure, reason)
    }
  })

  it('that makes no sense is refused before it begins', async () => {
    const tenant = await newTenant()
    const upload = await uploaded(place.desk, `${HEADER}\n${rates(1)}`)
    for (const [collection, body, sentence] of [
      ['rates', { tenant, map: { prefix: 'prefixx' } }, /Rates have no field .+prefixx.+; did you mean prefix\?"/],
      ['rates', { tenant, set: { status: '', destination: '' } }, /required/],
      ['cdrs', { mode: 'upsert' }, /cannot find them/],
      ['rates', { tenant, mode: 'replace', on_error: 'continue' }, /all or nothing/],
      ['rates', { tenant: 999_999 }, /tenant is invalid/],
      ['sms-gateways', { tenant }, /belong to no tenant/],
      ['rates', { mode: 'other' }, /must be insert, upsert, skip, replace/],
      ['rates', { upload: 'x' }, /must be an id/],
    ] as const) {
      const { status, text } = await place.desk.ask('POST', `/api/console/imports/${collection}`, { upload, ...body })
      assert.equal(status, 422, text)
      assert.match(text, sentence)
    }
    assert.equal((await place.desk.ask('POST', '/api/console/imports/rates', { upload: 999_999 })).status, 404)
    const { json } = await place.desk.ask('POST', '/api/console/uploads', { name: 'a', bytes: 5 })
    assert.equal(
      (await place.desk.ask('POST', '/api/console/imports/rates', { upload: json.data.id, tenant })).status,
      409,
    )
  })

  it('replaces a deck as checked, now or later, and not if the outcome would differ', async () => {
    const tenant = await newTenant()
    await imported(place.desk, 'rates', `${HEADER}\n${rates(10)}`, { tenant })
    const upload = await uploaded(place.desk, `${HEADER}\n${rates(4, 105)}`)
    const body = { upload, tenant, mode: 'replace' }
    assert.match((await run(place.desk, 'rates', body)).failure, /check it first/)
    const { outcome: agreed } = await run(place.desk, 'rates', { ...body, dry_run: true })
    assert.deepEqual([agreed.created, agreed.unchanged, agreed.removed], [0, 4, 6])
    await place.world.create('rates', { tenant_id: tenant, prefix: '999' })
    const changed = await run(place.desk, 'rates', { ...body, agreed })
    assert.equal(changed.state, 'failed')
    const { outcome } = await run(place.desk, 'rates', { ...body, dry_run: true })
    assert.equal((await run(place.desk, 'rates', { ...body, agreed: outcome })).state, 'done')
    assert.equal((await list('rates', `&tenant=${tenant}`)).length, 4)
    const later = {
      ...body,
      upload: await uploaded(place.desk, `${HEADER}\n${rates(1)}`),
      effective: '2999-01-01T00:00',
    }
    const { outcome: pending } = await run(place.desk, 'rates', { ...later, dry_run: true })
    assert.equal((await run(place.desk, 'rates', { ...later, agreed: pending })).state, 'done')
    assert.equal((await list('rates', `&tenant=${tenant}`)).length, 4)
    assert.equal(
      (await place.world.service.trunkline.decks.list({ tenantId: tenant })).some(deck => deck.state === 'pending'),
      true,
    )
  })

  it('of an account of one tenant affects that tenant alone', async () => {
    const [own, other] = [await newTenant({ slug: 'own-one' }), await newTenant({ slug: 'other-one' })]
    const ask = await signedIn(place.world.service, 'admin', own)
    const session = await signedInDesk(own)
    const content = `tenant,${HEADER}\nother-one,380,Ukraine,0.01,60,active\n`
    const refused = await imported(session, 'rates', content)
    assert.equal(refused.outcome.created, 0)
    assert.equal(refused.outcome.rejected, 1)
    const named = await imported(session, 'rates', content.replace('other-one', 'own-one'), { tenant: other })
    assert.equal(named.outcome.created, 1)
    assert.equal((await list('rates', `&tenant=${other}`)).length, 0)
    assert.equal((await ask('POST', '/api/console/imports/tenants', { upload: 1 })).status, 403)
    assert.equal((await ask('POST', '/api/console/imports/sms-gateways', { upload: 1 })).status, 403)
    const theirs = await place.desk.ask('GET', '/api/console/jobs')
    assert.ok(theirs.json.data.length > 0)
    const seen = (await session.ask('GET', '/api/console/jobs')).json.data
    assert.deepEqual([seen.length, seen.every((job: { is_own: boolean }) => job.is_own)], [2, true])
    const foreign = theirs.json.data.find(
      ({ id }: { id: number }) => !seen.some((job: { id: number }) => job.id === id),
    )
    for (const path of ['', '/errors', '/file'])
      assert.equal((await session.ask('GET', `/api/console/jobs/${foreign.id}${path}`)).status, 404)
  })

  it('that is stopped, or whose service is restarted, continues where it was, and stores no call twice', async () => {
    const tenant = await newTenant({ slug: 'calls-of' })
    const header =
      'caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at'
    const count = 60_000
    const calls = Array.from({ length: count }, (_, i) => `${i},2,outbound,BUSY,0,0,0,2026-01-01T00:00:00Z\n`).join('')
    const upload = await uploaded(place.desk, `${header}\n${calls}`, 'calls.csv')
    const { json } = await place.desk.ask('POST', '/api/console/imports/cdrs', { upload, tenant })
    const { id } = json.data
    while ((await place.desk.ask('GET', `/api/console/jobs/${id}`)).json.data.progress.rows === 0);
    await place.restart()
    const left = (await place.desk.ask('GET', `/api/console/jobs/${id}`)).json.data
    assert.deepEqual([left.state, left.can_resume], ['interrupted', true])
    await place.desk.ask('POST', `/api/console/jobs/${id}/resume`)
    while ((await place.desk.ask('GET', `/api/console/jobs/${id}`)).json.data.progress.rows === left.progress.rows);
    const stopped = (await place.desk.ask('POST', `/api/console/jobs/${id}/stop`)).json.data
    assert.ok(['stopped', 'done'].includes(stopped.state), JSON.stringify(stopped))
    if (stopped.state === 'stopped') await place.desk.ask('POST', `/api/console/jobs/${id}/resume`)
    const done = await ended(place.desk.ask, id)
    assert.deepEqual([done.state, done.outcome.created], ['done', count])
    const stored = await place.world.service.trunkline.storage.records.countUpTo(
      (await import('../../../../core/resources/cdrs.ts')).cdrs,
      { tenantId: tenant },
      count * 2,
    )
    assert.equal(stored, count)
  })

  it('is deleted with its files once it is over', async () => {
    const job = await imported(place.desk, 'rates', `${HEADER}\n1,,x,60,active\n`, { tenant: await newTenant() })
    const [ofJob, ofUpload] = [`job-${job.id}`, `upload-${job.upload}`]
    assert.ok((await keptOf(place.db)).includes(ofJob))
    assert.equal((await place.desk.ask('DELETE', `/api/console/jobs/${job.id}`)).status, 200)
    assert.deepEqual(
      (await keptOf(place.db)).filter(name => name === ofJob || name === ofUpload),
      [],
    )
  })
})

async function signedInDesk(tenantId: number): Promise<Desk> {
  const email = `of${tenantId}@example.com`
  const password = 'correct horse'
  await place.world.service.trunkline.accountKeeping.create({ email, password, role: 'admin', tenantId })
  const session = sessionOf(await login(place.world.service, { email, password }))
  return {
    url: place.world.service.url,
    session,
    ask: (method, path, json) =>
      place.world.service.request(method, path, { session, ...(json === undefined ? {} : { json }) }),
  }
}
