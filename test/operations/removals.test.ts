import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Sqlite } from '../../adapters/sqlite/driver.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { ADMIN, temporaryFolder } from '../support/app.ts'
import { type DaemonProcess, startDaemon } from '../support/daemon.ts'
import { sampleBody } from '../support/samples.ts'

const folder = temporaryFolder()
after(folder.remove)

const CALLS = 100_000

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

describe('a tenant that is deleted with its call records', () => {
  it('goes with all of them, while others are answered and their changes wait their turn', async () => {
    const path = join(folder.path, 'test.db')
    const daemon = await startDaemon({
      TRUNKLINE_DB: path,
      TRUNKLINE_ADMIN_EMAIL: ADMIN.email,
      TRUNKLINE_ADMIN_PASSWORD: ADMIN.password,
    })
    const db = new Sqlite(path)
    try {
      const request = await signedIn(daemon)
      for (const slug of ['large', 'other'])
        await request('POST', 'tenants', { ...sampleBody(tenants), slug, domain: `${slug}.example.com` })
      db.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${CALLS})
         INSERT INTO cdrs (tenant_id, caller_number, destination_number, direction, disposition, duration_seconds,
           bill_seconds, cost, started_at, created_at, updated_at)
         SELECT 1, '101', i, 'outbound', 'ANSWERED', 1, 1, 1, '2026-01-01T00:00:00.000000Z', '', '' FROM n`,
      ).run()
      let isDeleted = false
      const deleting = request('DELETE', 'tenants/1?cascade=true').finally(() => {
        isDeleted = true
      })
      const write = request('PATCH', 'tenants/2', { ...sampleBody(tenants), slug: 'other', name: 'Renamed' })
      let answers = 0
      for (; !isDeleted; answers++) assert.equal((await request('GET', 'tenants/2')).status, 200)
      assert.equal((await deleting).status, 200)
      assert.equal((await write).status, 200)
      assert.ok(answers > 20, `${answers} answers meanwhile`)
      assert.equal((await request('GET', 'tenants/1')).status, 404)
      assert.equal(db.prepare('SELECT count(*) FROM cdrs').pluck().get(), 0)
      assert.equal(
        db.prepare(`SELECT actor FROM audit WHERE action = 'delete' AND resource = 'tenants'`).pluck().get(),
        ADMIN.email,
      )
      assert.equal((await request('DELETE', 'tenants/1?cascade=true')).status, 404)
    } finally {
      db.close()
      assert.equal((await daemon.stop()).code, 0)
    }
  })
})
