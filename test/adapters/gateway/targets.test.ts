import assert from 'node:assert/strict'
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, beforeEach, describe, it, mock } from 'node:test'
import { type HttpGatewayClient, httpGatewayClient } from '../../../adapters/gateway/client.ts'
import { refusal } from '../../../adapters/gateway/targets.ts'
import { type FakeGateway, startGateway } from '../../support/messaging/gateway.ts'
import { submissionTo } from '../../support/messaging/submissions.ts'

const REFUSED = [
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '224.0.0.1',
  '239.255.255.255',
  '255.255.255.255',
  'fe80::1',
  'febf::1',
  'fe80::1%lo',
  'fd00:ec2::254',
  'fd20:ce::254',
  'ff02::1',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::ffff:224.0.0.1',
  '64:ff9b::169.254.169.254',
  '2002:a9fe:a9fe::1',
  'not-an-address',
  '',
]

const ALLOWED = [
  '127.0.0.1',
  '127.8.8.8',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '8.8.8.8',
  '::1',
  'fd00::1',
  '2001:db8::1',
  '2606:4700::1111',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
]

describe('a target address', () => {
  for (const address of REFUSED)
    it(`${address || '(empty)'} is refused with a reason`, () => {
      assert.equal(typeof refusal(address), 'string')
    })

  for (const address of ALLOWED)
    it(`${address} is allowed`, () => {
      assert.equal(refusal(address), null)
    })
})

let gateway: FakeGateway
let client: HttpGatewayClient
before(async () => {
  gateway = await startGateway()
})
beforeEach(async () => {
  await client?.close()
  client = httpGatewayClient({ timeoutSeconds: 5 })
})
after(async () => {
  await client.close()
  await gateway.close()
})

const submit = async (host: string): Promise<string> => {
  const url = `http://${host}:${gateway.port}/send`
  const reply = await client.submit(submissionTo(url))
  return reply.kind === 'failed' ? reply.exception : String(reply.status)
}

/** Makes every name resolve to these addresses for one test. */
const resolvingTo = async (addresses: string[], test: () => Promise<void>): Promise<void> => {
  const answer = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  const lookup = mock.method(dns, 'lookup', (...given: unknown[]) => {
    const callback = given.at(-1)
    if (typeof callback === 'function') callback(null, answer)
  })
  syncBuiltinESMExports()
  try {
    await test()
  } finally {
    lookup.mock.restore()
    syncBuiltinESMExports()
  }
}

const NOT_ALLOWED = /^The gateway's address is not allowed: .+\.$/

describe('a connection', () => {
  it('is opened to an allowed address, given as such or by name', async () => {
    assert.equal(await submit('127.0.0.1'), '200')
    assert.equal(await submit('localhost'), '200')
  })

  it('is not opened to a refused address given as such', async () => {
    for (const host of ['169.254.169.254', '[fe80::1]', '[::ffff:169.254.169.254]', '224.0.0.1', '[fd00:ec2::254]'])
      assert.match(await submit(host), NOT_ALLOWED, host)
  })
})

describe('a name', () => {
  it('is checked by its addresses when the connection opens', async () => {
    await resolvingTo(['127.0.0.1'], async () => assert.equal(await submit('gateway.example'), '200'))
    for (const address of ['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254', 'fd00:ec2::254'])
      await resolvingTo([address], async () => {
        // A kept-alive connection would be reused without a look-up.
        await client.close()
        client = httpGatewayClient({ timeoutSeconds: 5 })
        assert.match(await submit('gateway.example'), NOT_ALLOWED, address)
      })
  })

  it('is refused when any of its addresses is', async () => {
    await resolvingTo(['127.0.0.1', 'fe80::1'], async () => {
      assert.match(await submit('gateway.example'), NOT_ALLOWED)
    })
  })
})
