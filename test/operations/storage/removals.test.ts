import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { extensions } from '../../../core/resources/extensions.ts'
import { tenants } from '../../../core/resources/tenants.ts'
import { type DaemonProcess, startDaemon } from '../../support/daemon.ts'
import { changed, readerOf } from '../../support/data/reader.ts'
import { sampleBody } from '../../support/data/samples.ts'
import { ADMIN, temporaryFolder } from '../../support/http/app.ts'
import { BUCKETED, databaseAt } from '../../support/storages.ts'

const folder = temporaryFolder()
after(folder.remove)

const CALLS = 200_000
let databases = 0

async function signedIn({ url }: DaemonProcess) {
  const call = (method: string, path: string, cookie: string, json?: unknown): Promise<Response> =>
    fetch(`${url}/api/${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
  const { headers } = await call('POST', 'admin/login', '', ADMIN)
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return (method: string, path: string, json?: unknown): Promise<Response> => call(method, path, cookie, json)
}

/** A daemon with two tenants and extensions, and many calls of the first. */
async function inService(
  test: (request: Awaited<ReturnType<typeof signedIn>>, stored: (sql: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const path = await databaseAt(folder.path, `${databases++}.db`)
  const daemon = await startDaemon({
    TRUNKLINE_DB: path,
    TRUNKLINE_ADMIN_EMAIL: ADMIN.email,
    TRUNKLINE_ADMIN_PASSWORD: ADMIN.password,
  })
  const reader = await readerOf(path)
  try {
    const request = await signedIn(daemon)
    for (const [slug, tenant_id] of [
      ['large', 1],
      ['other', 2],
    ] as const) {
      await request('POST', 'tenants', { ...sampleBody(tenants), slug, domain: `${slug}.example.com` })
      await request('POST', 'extensions', { ...sampleBody(extensions), tenant_id })
    }
    await changed(
      path,
      `INSERT INTO cdrs (${BUCKETED.columns}tenant_id, extension_id, caller_number, destination_number, direction, disposition,
         duration_seconds, bill_seconds, cost, started_at, created_at, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${CALLS})
       SELECT ${BUCKETED.values}1, 1, '101', i, 'outbound', 'ANSWERED', 1, 1, 1, '2026-01-01T00:00:00.000000Z', '', '' FROM n`,
    )
    await test(request, async sql => (await reader.rows(sql))[0]?.[0])
  } finally {
    await reader.close()
    assert.equal((await daemon.stop()).code, 0)
  }
}

/**
 * Deletes it while another client sends requests, and returns the answer and how many of the other's came meanwhile.
 */
async function deleted(request: Awaited<ReturnType<typeof signedIn>>, path: string) {
  let isDeleted = false
  const deleting = request('DELETE', path).finally(() => {
    isDeleted = true
  })
  const write = request('PATCH', 'tenants/2', { ...sampleBody(tenants), slug: 'other', name: 'Renamed' })
  let answers = 0
  for (; !isDeleted; answers++) assert.equal((await request('GET', 'tenants/2')).status, 200)
  assert.equal((await write).status, 200)
  return { status: (await deleting).status, answers }
}

describe('a record that very many refer to', () => {
  it('is deleted with its dependants, while reads are answered and other changes wait their turn', () =>
    inService(async (request, stored) => {
      const { status, answers } = await deleted(request, 'tenants/1?cascade=true')
      assert.equal(status, 200)
      assert.ok(answers > 20, `${answers} answers meanwhile`)
      assert.equal((await request('GET', 'tenants/1')).status, 404)
      assert.equal(await stored('SELECT count(*) FROM cdrs'), 0)
      assert.equal(
        await stored(`SELECT actor FROM audit WHERE action = 'delete' AND resource = 'tenants'`),
        ADMIN.email,
      )
      assert.equal((await request('DELETE', 'tenants/1?cascade=true')).status, 404)
    }))

  it('is deleted and its references are cleared, while other requests are answered', () =>
    inService(async (request, stored) => {
      const { status, answers } = await deleted(request, 'extensions/1')
      assert.equal(status, 200)
      assert.ok(answers > 20, `${answers} answers meanwhile`)
      assert.equal((await request('GET', 'extensions/1')).status, 404)
      assert.equal(await stored('SELECT count(*) FROM cdrs WHERE extension_id IS NULL'), CALLS)
      assert.equal(
        await stored(`SELECT actor FROM audit WHERE action = 'delete' AND resource = 'extensions'`),
        ADMIN.email,
      )
      assert.equal((await request('DELETE', 'extensions/2')).status, 200)
    }))

  it('is kept if they need it, and the answer counts them', () =>
    inService(async request => {
      const response = await request('DELETE', 'tenants/1')
      assert.equal(response.status, 409)
      const { dependants } = Object(await response.json())
      assert.deepEqual(dependants, { extensions: 1, cdrs: CALLS })
    }))
})
