import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type Desk, openDesk } from '../../../support/cli/imports.ts'

const RESOURCES = ['devices', 'agents', 'routes'] as const

/** Two tenants, each with an extension 101, a queue 800 and a DID; their ids depend on the order of creation. */
async function furnished(slugs: readonly string[]): Promise<Desk> {
  const desk = await openDesk()
  for (const [i, slug] of slugs.entries()) {
    await desk.create('tenants', { slug, domain: `${slug}.example.com`, max_extensions: 50 })
    const tenant_id = i + 1
    await desk.create('extensions', { tenant_id, extension_number: '101' })
    await desk.create('queues', { tenant_id, queue_number: '800' })
    await desk.create('dids', { tenant_id, number: slug === 'acme' ? '+4930' : '+4940' })
  }
  return desk
}

const STORED = {
  devices: `SELECT x.slug, e.extension_number, d.mac, d.model FROM devices d JOIN extensions e ON e.id = d.extension_id
    JOIN tenants x ON x.id = e.tenant_id ORDER BY d.mac`,
  agents: `SELECT x.slug, q.queue_number, y.slug, e.extension_number, a.penalty FROM agents a JOIN queues q ON q.id = a.queue_id
    JOIN tenants x ON x.id = q.tenant_id JOIN extensions e ON e.id = a.extension_id JOIN tenants y ON y.id = e.tenant_id ORDER BY 1`,
  routes: `SELECT d.number, r.target_type, coalesce(e.tenant_id, q.tenant_id) = d.tenant_id, e.extension_number, q.queue_number
    FROM routes r JOIN dids d ON d.id = r.did_id LEFT JOIN extensions e ON r.target_type = 'extension' AND e.id = r.target_id
    LEFT JOIN queues q ON r.target_type = 'queue' AND q.id = r.target_id ORDER BY 1, 2`,
}

let desk: Desk
beforeEach(async () => {
  desk = await furnished(['acme', 'beta'])
})
afterEach(() => desk.close())

const joined = async (): Promise<void> => {
  for (const id of [1, 2]) {
    await desk.create('devices', { extension_id: id, mac: `00:15:65:00:00:0${id}`, model: 'Yealink, T46U' })
    await desk.create('agents', { queue_id: id, extension_id: id, penalty: id })
    await desk.create('routes', { did_id: id, target_type: 'extension', target_id: id })
    await desk.create('routes', { did_id: id, target_type: 'queue', target_id: id })
  }
}

describe('devices, agents and routes', () => {
  test('are exported by the names of what they join', async () => {
    await joined()
    assert.equal(
      await desk.give('devices'),
      'extension,mac,model\nacme/101,00:15:65:00:00:01,"Yealink, T46U"\nbeta/101,00:15:65:00:00:02,"Yealink, T46U"\n',
    )
    assert.equal(await desk.give('agents'), 'queue,extension,penalty\nacme/800,acme/101,1\nbeta/800,beta/101,2\n')
    assert.equal(
      await desk.give('routes', ['--tenant', 'beta']),
      'did,target_type,target\n+4940,extension,beta/101\n+4940,queue,beta/800\n',
    )
    assert.equal(await desk.give('agents', ['--tenant', 'acme']), 'queue,extension,penalty\nacme/800,acme/101,1\n')
    assert.match(await desk.give('devices', ['--extension', 'beta/101']), /^extension,mac,model\nbeta[^\n]*\n$/)
  })

  for (const format of ['csv', 'ndjson', 'json'])
    test(`import again as the same records, whatever the ids, and add none the second time (${format})`, async () => {
      await joined()
      const to = await furnished(['beta', 'acme'])
      for (const resource of RESOURCES) {
        const text = await desk.give(resource, ['--format', format])
        const flags = ['--format', format]
        assert.deepEqual((await to.take(resource, text, flags)).summary.errors, [])
        assert.deepEqual(await to.query(STORED[resource]), await desk.query(STORED[resource]))
        assert.equal((await to.take(resource, text, flags)).summary.rejected, resource === 'routes' ? 4 : 2)
        const { summary } = await to.take(resource, text, [...flags, '--mode', 'upsert'])
        assert.deepEqual([summary.created, summary.updated, summary.unchanged > 0], [0, 0, true])
        assert.deepEqual(await to.query(STORED[resource]), await desk.query(STORED[resource]))
      }
      await to.close()
    })

  test('come in all or not at all, each error with its line, and nothing in a dry run', async () => {
    const devices =
      'extension,mac,model\nacme/101,00:15:65:00:00:01,T46U\nacme/999,00:15:65:00:00:02,T46U\nbeta/101,nonsense,T46U\n'
    const { summary } = await desk.take('devices', devices)
    assert.deepEqual(
      summary.errors.map(({ line, field, message }) => `${line} ${field}: ${message}`),
      ['3 extension: The selected extension is invalid.', '4 mac: The mac field must be a valid MAC address.'],
    )
    assert.deepEqual(await desk.query('SELECT count(*) FROM devices'), ['0'])
    const agents = 'queue,extension\nacme/800,acme/101\n'
    assert.equal((await desk.take('agents', agents, ['--dry-run'])).summary.created, 1)
    assert.deepEqual(await desk.query('SELECT count(*) FROM agents'), ['0'])
    await desk.take('agents', agents)
    assert.deepEqual(await desk.query('SELECT penalty FROM agents'), ['0'])
  })

  test('that join two tenants are refused, and so is a target that is not there', async () => {
    const agents = await desk.take('agents', 'queue,extension\nacme/800,beta/101\n')
    assert.deepEqual(
      agents.summary.errors.map(({ rule, field }) => [rule, field]),
      [['foreign', 'extension']],
    )
    const routes = await desk.take(
      'routes',
      'did,target_type,target\n+4930,queue,beta/800\n+4930,extension,acme/999\n+4930,elsewhere,acme/101\n',
      ['--on-error', 'continue'],
    )
    assert.deepEqual(routes.summary.errors.map(({ line, rule, field }) => [line, rule, field]).sort(), [
      [2, 'foreign', 'target'],
      [3, 'reference', 'target'],
      [4, 'format', 'target_type'],
      [4, 'reference', 'target'],
    ])
    const byId = await desk.take('routes', 'did,target_type,target_id\n+4930,queue,77\n')
    assert.deepEqual(
      byId.summary.errors.map(({ rule, field }) => [rule, field]),
      [['reference', 'target_id']],
    )
  })

  test('of one tenant are named without it, and those of another are refused', async () => {
    const flags = ['--tenant', 'beta']
    await desk.take('devices', 'extension,mac,model\n101,00:15:65:00:00:01,T46U\n', flags)
    await desk.take('agents', 'queue,extension\n800,101\n', flags)
    await desk.take('routes', 'did,target_type,target\n+4940,queue,800\n+4940,extension,101\n', flags)
    assert.deepEqual(await desk.query(STORED.devices), ['beta|101|00:15:65:00:00:01|T46U'])
    assert.deepEqual(await desk.query(STORED.agents), ['beta|800|beta|101|0'])
    assert.deepEqual(await desk.query(STORED.routes), ['+4940|extension|1|101|', '+4940|queue|1||800'])
    for (const [resource, text] of [
      ['devices', 'extension,mac,model\nacme/101,00:15:65:00:00:02,T46U\n'],
      ['devices', 'extension_id,mac,model\n1,00:15:65:00:00:02,T46U\n'],
      ['agents', 'queue,extension\nacme/800,acme/101\n'],
    ] as const) {
      const { summary } = await desk.take(resource, text, flags)
      assert.deepEqual(
        summary.errors.map(({ rule, message }) => [rule, message.endsWith('belongs to another tenant.')]),
        [['foreign', true]],
      )
    }
    const { summary } = await desk.take('routes', 'did,target_type,target\n+4930,queue,800\n', flags)
    assert.deepEqual(
      summary.errors.map(({ rule, field }) => [rule, field]),
      [['reference', 'did']],
    )
  })
})
