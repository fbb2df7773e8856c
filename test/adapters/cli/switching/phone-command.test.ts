import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, type RunOptions, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { withSwitches } from '../../../support/cli/switches.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

const asterisk: RunOptions = {
  ...withSwitches({ kind: 'asterisk' }),
}
const shown = (line: string, options: RunOptions = {}) =>
  place.json(`trunkline extension phone acme/101 ${line}`, options)

describe('trunkline extension phone', () => {
  it('prints what to type into a telephone, without its secret', async () => {
    assert.deepEqual(await shown(''), {
      ...{ server: 'acme.example.com', port: 5060, transport: 'udp', user: '101', domain: 'acme.example.com' },
      ...{ secret: '••••••', link: 'sip:101@acme.example.com;transport=udp' },
    })
  })

  it('prints the secret on request, which the audit trail notes', async () => {
    const { secret } = await shown('--show-secrets')
    assert.equal(secret, 'kW3-9fQm-Zt81')
    const [entry] = await place.json('trunkline audit list --action export')
    assert.deepEqual([entry.resource, entry.record_name], ['extensions', 'acme/101'])
  })

  it('has the server that telephones reach, and the names that Asterisk knows', async () => {
    const env = { TRUNKLINE_PHONE_SERVER: 'sip.example.com:5080' }
    const { server, port, user, domain } = await shown('', { env })
    assert.deepEqual([server, port, user, domain], ['sip.example.com', 5080, '101', 'acme.example.com'])
    const other = await shown('', { ...asterisk, env })
    assert.deepEqual([other.user, other.domain], ['acme-101', 'sip.example.com'])
  })

  it('fills in a link of a provider, and one with the secret only where that is shown', async () => {
    const env = { TRUNKLINE_PHONE_LINK: 'csc:{user}:{secret}@ACME/{other}' }
    assert.equal((await shown('--show-secrets', { env })).link, 'csc:101:kW3-9fQm-Zt81@ACME/{other}')
    assert.equal('link' in (await shown('', { env })), false)
  })

  it('draws a QR code of the link at a terminal', async () => {
    const drawn = await place.done('trunkline extension phone acme/101', { columns: 80 })
    assert.match(drawn, /\u001b\[97m█▀█|██ ▄▄▄▄▄ /)
    assert.equal((await place.done('trunkline extension phone acme/101')).includes('█'), false)
    assert.equal(
      (await place.done('trunkline extension phone acme/101 --fields user', { columns: 80 })).includes('█'),
      false,
    )
  })

  it('says why the telephone cannot register', async () => {
    await place.done('trunkline extension update acme/101 --status disabled')
    const { stderr } = await place.run('trunkline extension phone acme/101')
    assert.equal(stderr, 'this telephone cannot register: extension 101 of tenant acme is disabled\n')
    await place.done('trunkline extension update acme/101 --status active')
  })
})
