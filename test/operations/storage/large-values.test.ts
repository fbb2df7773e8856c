import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { openStorage } from '../../../adapters/sqlite/storage.ts'
import { systemClock } from '../../../adapters/system/clock.ts'
import { type DaemonProcess, startDaemon } from '../../support/daemon.ts'
import { insert } from '../../support/data/rows.ts'
import { ADMIN, temporaryFolder } from '../../support/http/app.ts'

const COUNT = 200
const LENGTH = 400_000
/** MiB; all values together are larger. */
const SMALL_HEAP = '--max-old-space-size=64'

const folder = temporaryFolder()
const path = join(folder.path, 'large.db')
const file = join(folder.path, 'dids.csv')

/** Hardly any three characters repeat, which is the most expensive text to index. */
function noise(length: number): string {
  let state = 1
  const next = (): string => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return String.fromCharCode(0x4e00 + ((state >>> 16) % 0x2000))
  }
  return Array.from({ length }, next).join('')
}

before(async () => {
  const storage = openStorage(path, { clock: systemClock(), create: true })
  await insert(storage.records, 'tenants', { slug: 'acme' })
  await storage.close()
  const text = `${noise(LENGTH / 10)}${'x'.repeat((LENGTH * 9) / 10)}`
  const db = new Sqlite(path)
  const count = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COUNT})`
  db.prepare(
    `${count} INSERT INTO dids (tenant_id, number, provider, description, status, created_at, updated_at)
     SELECT 1, i, 'Carrier', ? || i, 'active', '', '' FROM n`,
  ).run(text)
  db.prepare(
    `${count} INSERT INTO audit (at, actor, origin, action, resource, record_id, changes)
     SELECT '2026-01-01', 'a', 'b', 'update', 'dids', i, json_object('description', json_object('before', ?)) FROM n`,
  ).run(text)
  db.prepare(
    `${count} INSERT INTO quarantine (feed, format, rules, fingerprint, record, reason, created_at)
     SELECT '-', 'ndjson', '{"timezone":"UTC","contexts":{},"tenant":null}', i, ?, 'x', '2026-01-01' FROM n`,
  ).run(text)
  db.close()
  const lines = Array.from({ length: COUNT }, (_, n) => `+4420${n},Carrier,${text},active\n`)
  writeFileSync(file, `number,provider,description,status\n${lines.join('')}`)
})
after(folder.remove)

describe('values that are large, all together larger than the heap', { timeout: 300_000 }, () => {
  for (const words of [
    'did list --all --output ndjson',
    'did list --limit 1000 --output json',
    'did export',
    'audit list --limit 5',
    'cdr quarantine replay',
    `did import ${file} --tenant acme --dry-run`,
    `did import ${file} --set tenant_id=99 --on-error continue --reject-file ${file}.rejected`,
  ])
    it(`pass through trunkline ${words.replaceAll(file, 'FILE')}`, () => {
      const { status, stderr } = spawnSync(
        process.execPath,
        [SMALL_HEAP, 'dist/bin/trunkline.js', ...words.split(' '), '--db', path],
        { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' },
      )
      assert.ok(status !== null && [0, 1, 65].includes(status), `${status}: ${stderr.slice(-2_000)}`)
    })

  it('are listed and searched by the daemon, which answers others meanwhile', async () => {
    const daemon = await startDaemon({
      TRUNKLINE_DB: path,
      TRUNKLINE_ADMIN_EMAIL: ADMIN.email,
      TRUNKLINE_ADMIN_PASSWORD: ADMIN.password,
      TRUNKLINE_LOG_LEVEL: 'silent',
      NODE_OPTIONS: SMALL_HEAP,
    })
    let isOver = false
    const waits: number[] = []
    const askUntilOver = async (cookie: string): Promise<void> => {
      while (!isOver) {
        const started = performance.now()
        await fetch(`${daemon.url}/api/admin/me`, { headers: { cookie } }).then(answer => answer.text())
        waits.push(performance.now() - started)
      }
    }
    try {
      const cookie = await signIn(daemon)
      const asking = askUntilOver(cookie)
      try {
        for (const query of ['', '?limit=1000', '?search=xx', '?search=carrier&limit=1000'])
          assert.ok((await bytesOf(`${daemon.url}/api/dids${query}`, cookie)) > COUNT * LENGTH, query)
      } finally {
        isOver = true
        await asking
      }
      const p99 = waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0
      assert.ok(p99 < 200, `another request took ${p99.toFixed(0)} ms`)
    } finally {
      const { code, stderr } = await daemon.stop()
      assert.equal(code, 0, stderr)
    }
  })
})

async function signIn({ url }: DaemonProcess): Promise<string> {
  const { headers } = await fetch(`${url}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  return headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

async function bytesOf(url: string, cookie: string): Promise<number> {
  const answer = await fetch(url, { headers: { cookie } })
  assert.equal(answer.status, 200)
  let bytes = 0
  for await (const piece of answer.body ?? []) bytes += piece.length
  return bytes
}
