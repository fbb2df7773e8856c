import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { type FakeGateway, startGateway } from '../../../../support/messaging/gateway.ts'

describe('a gateway whose password now goes to another address', () => {
  let place: Workplace
  let gateway: FakeGateway
  before(async () => {
    place = workplace()
    gateway = await startGateway()
    await furnish(place)
  })
  after(async () => {
    await gateway.close()
    place.remove()
  })

  const findings = async (): Promise<string[]> =>
    JSON.parse((await place.run('trunkline doctor --output json')).stdout)
      .filter(({ kind }: { kind: string }) => kind === 'gateway_retargeted')
      .map(({ finding }: { finding: string }) => finding)
  const send = () => place.run('trunkline sms send --gateway Jasmin --to +380501234567 --from ACME --message Hi')
  const update = (flags: string, input = '') => place.done(`trunkline gateway update Jasmin ${flags}`, { input })

  it('is found by doctor until it has accepted a message there', async () => {
    assert.deepEqual(await findings(), [])
    await update('--notes new --default-sender-id ACME')
    assert.deepEqual(await findings(), [])
    await update('--server-host localhost')
    const [finding = ''] = await findings()
    assert.match(
      finding,
      /^gateway Jasmin was changed on .*: its password goes to localhost:9 now, without TLS, for the user trunkline, and no message/,
    )
    await send()
    assert.equal((await findings()).length, 1)
    await update(`--server-port ${gateway.port}`)
    await place.run('trunkline gateway test Jasmin --to +380501234567 --from ACME --wait 1')
    assert.deepEqual(await findings(), [])
  })

  for (const flags of ['--server-port 9', '--use-ssl yes', '--username other'])
    it(`is found after ${flags}`, async () => {
      await update(flags)
      assert.equal((await findings()).length, 1)
      await update(`--server-port ${gateway.port} --use-ssl no --username trunkline`)
      await send()
      assert.deepEqual(await findings(), [])
    })

  it('is found when an import changed it', async () => {
    const file = place.path('g.csv')
    writeFileSync(
      file,
      'name,provider_type,server_host,server_port,username,password\nJasmin,jasmin,127.0.0.2,9,trunkline,x\n',
    )
    await place.done(`trunkline gateway import ${file} --mode upsert`)
    assert.equal((await findings()).length, 1)
  })

  it('is in the security trail, with the account and the former address', async () => {
    await update('--server-host sms.example.com')
    const [entry] = await place.json('trunkline audit list --security')
    assert.deepEqual(
      [entry.action, entry.resource, entry.record_name, entry.changes.server_host],
      ['update', 'sms_gateways', 'Jasmin', { before: '127.0.0.2', after: 'sms.example.com' }],
    )
  })
})
