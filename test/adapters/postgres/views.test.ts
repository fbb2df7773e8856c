import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStorage, type PostgresStorage } from '../../../adapters/postgres/storage.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { manualClock } from '../../support/clock.ts'
import { insert, row } from '../../support/data/rows.ts'
import { newDatabase } from '../../support/postgres/databases.ts'

/** Every character of one code unit that JSON or COPY could write in another way, and some of two. */
const AWKWARD = [
  ...Array.from({ length: 0xa0 - 1 }, (_, code) => String.fromCharCode(code + 1)),
  ...['"', '\\', '\\n', '\\u0041', '\u2028', '\u2029', '\ufeff', '\ufffd', '😀', '{}', '[]', 'NULL', ','],
].join('')

/** Text with marks that arrays escape, and none that only JSON does. */
const QUOTED = '"\\\\n" \\u0041 {,} é\u007f\u2028'

const META = '{"a" : 1.10e2,"b":[-0, 1E400, 12345678901234567890],"a":"\\u00e9\\ud83d\\ude00\\/","c":{ }}'

async function shown({ records }: PostgresStorage, name: string): Promise<string> {
  let json = ''
  for await (const page of records.list(resourceNamed(name), { view: 'plain', limit: 1 })) json += page.json
  return json
}

async function withStorage(check: (storage: PostgresStorage) => Promise<void>): Promise<void> {
  const storage = await openStorage(await newDatabase(), { clock: manualClock(), create: true })
  try {
    await check(storage)
  } finally {
    await storage.close()
  }
}

const VALUES = {
  tenants: { name: AWKWARD, settings: META },
  sms_gateways: { name: AWKWARD, meta: META, use_ssl: true, password: AWKWARD },
  cdrs: {
    caller_number: AWKWARD,
    destination_number: QUOTED,
    cost: 900_719_925_474_099,
    ended_at: null,
    extension_id: null,
  },
}

for (const name of ['tenants', 'sms_gateways', 'cdrs'] as const)
  test(`what a new or changed record of ${name} is answered with is what is stored, byte for byte`, () =>
    withStorage(async storage => {
      const resource = resourceNamed(name)
      const { id: tenant_id } = await insert(storage.records, 'tenants', {})
      const values = VALUES[name]
      const given = Object.keys(values).filter(field => field in resource.fields)
      assert.deepEqual(given, Object.keys(values))
      const made = await storage.records.insert(
        resource,
        row(name, { ...values, ...('tenant_id' in resource.fields ? { tenant_id } : {}) }),
      )
      assert.equal(made, await shown(storage, name))
      const { id } = JSON.parse(made)
      const changed = await storage.records.update(resource, id, stored => ({ ...stored }))
      assert.equal(changed, await shown(storage, name))
    }))
