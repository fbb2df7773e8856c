import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { startWorld, type World } from '../../../support/data/records.ts'
import { signedIn } from '../../../support/http/accounts.ts'
import { temporaryFolder } from '../../../support/http/app.ts'
import { ended } from '../../../support/http/jobs.ts'

const SECRET = 'hush-9f3k'
const folder = temporaryFolder()
let world: World
type Ask = Awaited<ReturnType<typeof signedIn>>
let ask: Ask

before(async () => {
  world = await startWorld({ db: join(folder.path, 'exports.db'), roles: 'enforced' })
  ask = await signedIn(world.service, 'admin')
})
after(async () => {
  await world.close()
  folder.remove()
})

/** What an export of that list writes. */
async function exported(path: string, body: object = {}, asking: Ask = ask): Promise<string> {
  const begun = await asking('POST', `/api/console/exports/${path}`, body)
  assert.equal(begun.status, 201, begun.text)
  const job = await ended(asking, begun.json.data.id)
  assert.equal(job.state, 'done', job.failure)
  return (await asking('GET', `/api/console/jobs/${job.id}/file`)).text
}

it('an export is of the whole filter, in each format, and comes back by an import', async () => {
  const { id } = await world.create('tenants', { slug: 'exporting' })
  for (let i = 0; i < 3; i++)
    await world.create('rates', { tenant_id: id, prefix: `38${i}`, destination: i === 2 ? 'Київ =1' : 'x' })
  const csv = await exported(`rates?tenant=${id}&limit=1&filter[destination]=x`)
  assert.match(csv, /^tenant,prefix,/)
  assert.equal(csv.trim().split('\n').length, 3)
  assert.equal(JSON.parse(await exported(`rates?tenant=${id}`, { format: 'json' })).length, 3)
  const found = await exported(`rates?tenant=${id}&search=Київ`, { format: 'ndjson' })
  assert.deepEqual(
    found
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).prefix),
    ['382'],
  )
  assert.match(await exported(`rates?tenant=${id}&search=Київ`, { bom: true, delimiter: ';' }), /^tenant;prefix;/)
  assert.equal((await ask('POST', `/api/console/exports/rates?filter[nothing]=1`, {})).status, 422)
  assert.equal((await ask('POST', `/api/console/exports/nothing`, {})).status, 404)
})

it('secrets are exported only where they are asked for, which is noted, and only by who may see them', async () => {
  await world.create('extensions', { secret: SECRET })
  assert.doesNotMatch(await exported('extensions'), new RegExp(SECRET))
  const before = (await ask('GET', '/api/console/audit?action=export&resource=extensions')).json.data.entries.length
  assert.match(await exported('extensions', { secrets: true }), new RegExp(SECRET))
  const { entries } = (await ask('GET', '/api/console/audit?action=export&resource=extensions')).json.data
  assert.equal(entries.length, before + 1)
  const supervisor = await signedIn(world.service, 'supervisor')
  assert.doesNotMatch(await exported('extensions', {}, supervisor), new RegExp(SECRET))
  assert.equal((await supervisor('POST', '/api/console/exports/extensions', { secrets: true })).status, 403)
})

it("an export's file is only for the account that requested it", async () => {
  const { json } = await ask('POST', '/api/console/exports/extensions', {})
  await ended(ask, json.data.id)
  const other = await signedIn(world.service, 'admin')
  assert.equal((await other('GET', `/api/console/jobs/${json.data.id}`)).json.data.is_own, false)
  assert.equal((await other('GET', `/api/console/jobs/${json.data.id}/file`)).status, 404)
})

it("an account of one tenant exports its tenant's records, without hidden fields", async () => {
  const [own, other] = [
    await world.create('tenants', { slug: 'mine' }),
    await world.create('tenants', { slug: 'not-mine' }),
  ]
  for (const { id } of [own, other]) await world.create('queues', { tenant_id: id })
  const tied = await signedIn(world.service, 'admin', own.id)
  const queues = await exported('queues', {}, tied)
  assert.match(queues, /^mine,/m)
  assert.doesNotMatch(queues, /not-mine/)
  assert.equal((await exported(`queues?tenant=${other.id}`, {}, tied)).trim().split('\n').length, 1)
  assert.equal((await exported('tenants', {}, tied)).trim().split('\n').length, 2)
  await world.create('sms_gateways', { username: SECRET })
  assert.doesNotMatch(await exported('sms-gateways', {}, tied), new RegExp(`${SECRET}|username|password`))
  assert.equal((await tied('POST', '/api/console/exports/sms-gateways?filter[username]=x', {})).status, 422)
  assert.equal((await tied('POST', '/api/console/exports/trunks', {})).status, 403)
})

it('an account has a few jobs at a time', async () => {
  const own = await signedIn(world.service, 'admin')
  const begun = await Promise.all(Array.from({ length: 12 }, () => own('POST', '/api/console/exports/extensions', {})))
  assert.ok(begun.some(({ status }) => status === 409))
  for (const { status, json } of begun) if (status === 201) await ended(own, json.data.id)
})
