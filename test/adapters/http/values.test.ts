import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startWorld, type World } from '../../support/data/records.ts'

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.close())

/** Creates a call with a member given as JSON text, so that no digit is lost. */
const callWith = (name: string, json: string) =>
  world.service.request('POST', '/api/cdrs', {
    body: JSON.stringify({ ...world.body('cdrs'), [name]: 'PLACE' }).replace('"PLACE"', json),
    headers: { 'content-type': 'application/json' },
    session: world.session,
  })

describe('an amount', () => {
  const cases = [
    ['0', '0.0000'],
    ['1', '1.0000'],
    ['1.5', '1.5000'],
    ['0.1', '0.1000'],
    ['0.00005', '0.0001'],
    ['0.00004999999999999999999', '0.0000'],
    ['1.00005', '1.0001'],
    ['1.00015', '1.0002'],
    ['2.67895', '2.6790'],
    ['1e-4', '0.0001'],
    ['1.5E1', '15.0000'],
    ['"0.0123"', '0.0123'],
    ['"12.3400"', '12.3400'],
    ['" 7 "', '7.0000'],
    ['900719925474.0991', '900719925474.0991'],
    ['"123456789012.34565"', '123456789012.3457'],
    ['-0', '0.0000'],
  ] as const
  it('is rounded half up to four places on the digits as they were written', async () => {
    for (const [given, shown] of cases) {
      const { status, json } = await callWith('cost', given)
      assert.equal(status, 201, given)
      assert.equal(json.data.cost, shown, given)
      assert.equal((await world.get(`/api/cdrs/${json.data.id}`)).json.data.cost, shown)
    }
  })

  it('below zero or past what can be held exactly is refused', async () => {
    const expected = [
      ['-0.0001', 'The cost field must be at least 0.'],
      ['"-1"', 'The cost field must be at least 0.'],
      ['900719925474.0992', 'The cost field must be a number.'],
      ['1e300', 'The cost field must be a number.'],
      ['"1.2.3"', 'The cost field must be a number.'],
    ] as const
    for (const [given, message] of expected) {
      const { status, json } = await callWith('cost', given)
      assert.equal(status, 422, given)
      assert.equal(json.message, message)
    }
  })
})

describe('a date', () => {
  const cases = [
    ['2026-10-01', '2026-10-01T00:00:00.000000Z'],
    ['2026-10-01 12:34', '2026-10-01T12:34:00.000000Z'],
    ['2026-10-01 12:34:56', '2026-10-01T12:34:56.000000Z'],
    ['2026-10-01 12:34:56.1', '2026-10-01T12:34:56.100000Z'],
    ['2026-10-01 12:34:56.123456', '2026-10-01T12:34:56.123456Z'],
    ['2026-10-01T12:34:56Z', '2026-10-01T12:34:56.000000Z'],
    ['2026-10-01T12:34:56.123456Z', '2026-10-01T12:34:56.123456Z'],
    ['2026-10-01T12:34:56+02:00', '2026-10-01T10:34:56.000000Z'],
    ['2026-01-01T00:30:00.000001+01:00', '2025-12-31T23:30:00.000001Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000000Z'],
  ] as const
  it('is shown in UTC with microseconds', async () => {
    for (const [given, shown] of cases) {
      const { json } = await callWith('started_at', JSON.stringify(given))
      assert.equal(json.data?.started_at, shown, given)
    }
  })

  it('that is on no calendar is refused', async () => {
    for (const given of [
      '2026-02-30',
      '2027-02-29',
      '2026-04-31',
      '2026-00-10',
      '2026-10-01 24:00',
      'now',
      '1760000000',
    ])
      assert.equal((await callWith('ended_at', JSON.stringify(given))).status, 422, given)
  })
})

describe('a time zone', () => {
  it('is any name that stands for a zone, and no bare offset', async () => {
    for (const timezone of ['UTC', 'Asia/Kolkata', 'Europe/Kyiv', 'Europe/Kiev', 'America/Argentina/Ushuaia'])
      assert.equal(
        (await world.send('POST', '/api/tenants', world.body('tenants', { timezone }))).status,
        201,
        timezone,
      )
    for (const timezone of ['+02:00', '-0500', 'Europe', 'Europe/Atlantis', 'GMT+25', '../etc'])
      assert.equal(
        (await world.send('POST', '/api/tenants', world.body('tenants', { timezone }))).status,
        422,
        timezone,
      )
  })
})

describe('a server host', () => {
  it('is a host name or an address and nothing else', async () => {
    const statusOf = async (server_host: string): Promise<number> =>
      (await world.send('POST', '/api/sms-gateways', world.body('sms_gateways', { server_host }))).status
    for (const host of [
      'localhost',
      'sms.example.com',
      '127.0.0.1',
      '::1',
      '[::1]',
      'xn--e1afmkfd.example',
      'a_b.local',
    ])
      assert.equal(await statusOf(host), 201, host)
    const refused = ['http://a', 'a/b', 'a@127.0.0.1', 'a b', 'a\nb', 'a:80', '2130706433', '0x7f000001', '127.1']
    refused.push('a?b', 'a#b', '256.1.1.1', '[::1', '-a.com', 'a..b', '1.2.3.4.5')
    for (const host of refused) assert.equal(await statusOf(host), 422, host)
  })

  it('has a port of at most 65535', async () => {
    const over = await world.send('POST', '/api/sms-gateways', world.body('sms_gateways', { server_port: 65_536 }))
    assert.deepEqual(over.json.errors, { server_port: ['The server port field must not be greater than 65535.'] })
    const most = await world.send('POST', '/api/sms-gateways', world.body('sms_gateways', { server_port: 65_535 }))
    assert.equal(most.status, 201)
  })
})
