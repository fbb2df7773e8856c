import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { manualClock } from '../../../support/clock.ts'
import { startWorld, type World } from '../../../support/data/records.ts'
import { temporaryFolder } from '../../../support/http/app.ts'
import { keptOf } from '../../../support/http/jobs.ts'
import { type Desk, deskOf, HEADER, rates, run, sendPart, uploaded } from '../../../support/http/transfers.ts'
import { databaseAt } from '../../../support/storages.ts'

const HOUR = 3_600
const folder = temporaryFolder()
const clock = manualClock()
let db: string
let world: World
before(async () => {
  db = await databaseAt(folder.path, 'forgetting.db')
  world = await startWorld({ db }, { clock })
  await world.service.trunkline.tools.jobs.look()
})
after(async () => {
  await world.close()
  folder.remove()
})

/** Lets time pass, and logs in again, since the session ends meanwhile. */
async function later(hours: number): Promise<Desk> {
  clock.advance(hours * HOUR)
  await world.service.trunkline.tools.jobs.sweep()
  const session = await world.service.login()
  return {
    ...deskOf(world),
    session,
    ask: (method, path, json) => world.service.request(method, path, { json, session }),
  }
}

const uploads = async (): Promise<string[]> => (await keptOf(db)).filter(name => name.startsWith('upload-'))

test('an unfinished upload goes, with its file, a day after its last byte', async () => {
  const desk = deskOf(world)
  const { id } = (await desk.ask('POST', '/api/console/uploads', { name: 'a.csv', bytes: 6 })).json.data
  await sendPart(desk, id, 0, Buffer.from('ab'))
  const nextDay = await later(23)
  assert.equal((await sendPart(nextDay, id, 2, Buffer.from('cd'))).status, 200)
  const dayAfter = await later(23)
  assert.equal((await dayAfter.ask('GET', `/api/console/uploads/${id}`)).json.data.offset, 4)
  assert.deepEqual(await uploads(), [`upload-${id}`])
  const tooLate = await later(2)
  assert.equal((await tooLate.ask('GET', `/api/console/uploads/${id}`)).status, 404)
  assert.equal((await sendPart(tooLate, id, 4, Buffer.from('ef'))).status, 404)
  assert.deepEqual(await uploads(), [])
})

test('a checked file stays as long as its job is shown, and both go a day after its end', async () => {
  const desk = await later(0)
  const tenant = (await desk.ask('POST', '/api/tenants', world.body('tenants'))).json.data.id
  const upload = await uploaded(desk, `${HEADER}\n${rates(2)}`)
  clock.advance(20 * HOUR)
  const again = await later(0)
  const job = await run(again, 'rates', { upload, tenant, dry_run: true })
  const nextDay = await later(20)
  assert.equal((await nextDay.ask('GET', `/api/console/uploads/${upload}`)).status, 200)
  const dayAfter = await later(5)
  assert.equal((await dayAfter.ask('GET', `/api/console/jobs/${job.id}`)).status, 404)
  assert.equal((await dayAfter.ask('GET', `/api/console/uploads/${upload}`)).status, 404)
  assert.deepEqual(await uploads(), [])
})
