import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { RenderRequest } from '../../../../core/ports/switching.ts'
import { furnish, type RunOptions, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { aCall, aPhone, type Has, withSwitches } from '../../../support/cli/switches.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

describe('trunkline switch status', () => {
  let daemon: Server
  before(async () => {
    const series = [
      'trunkline_switch_connected{switch="freeswitch"} 1',
      'trunkline_switch_reconciled_timestamp_seconds{switch="freeswitch"} 1795312800.25',
      'trunkline_switch_reloads_pending{switch="freeswitch"} 0',
      'trunkline_switch_connected{switch="asterisk"} 0',
      'trunkline_switch_reloads_pending{switch="asterisk"} 2',
    ]
    daemon = createServer((_, response) => response.end(`${series.join('\n')}\n`)).listen(0, '127.0.0.1')
    await once(daemon, 'listening')
  })
  after(() => daemon.close())
  const besideDaemon = (...switches: Has[]): RunOptions => {
    const address = daemon.address()
    const port = typeof address === 'object' && address ? address.port : 0
    return { ...withSwitches(...switches), env: { TRUNKLINE_METRICS_PORT: String(port) } }
  }

  it('shows telephones, calls and waiting records, and how far the daemon has brought each switch', async () => {
    const [row] = await place.json(
      'trunkline switch status',
      besideDaemon({ phones: [aPhone], calls: [aCall], waiting: 3 }),
    )
    assert.deepEqual(row, {
      ...{ switch: 'freeswitch', state: 'up', phones: 1, calls: 1, daemon: 'connected' },
      ...{ reconciled_at: '2026-11-22T02:00:00.000000Z', reloads_pending: 0, records_waiting: 3 },
    })
  })

  it('ends with 69 if a switch is away, or the daemon is not connected to it', async () => {
    const { code, stdout, stderr } = await place.run(
      'trunkline switch status',
      besideDaemon({ kind: 'asterisk', away: 'Asterisk does not answer.' }, {}),
    )
    assert.equal(code, 69)
    assert.match(stdout, /^asterisk\taway\t\t\tdisconnected\t\t2\t\nfreeswitch\tup\t0\t0\tconnected/)
    assert.equal(stderr.split('Asterisk does not answer.').length, 2, 'once, although two questions failed')
    assert.equal((await place.run('trunkline switch status', besideDaemon({ kind: 'asterisk' }))).code, 69)
  })

  it('says so if the daemon does not answer', async () => {
    const { code, stdout, stderr } = await place.run('trunkline switch status', {
      ...withSwitches({}),
      env: { TRUNKLINE_METRICS_PORT: '0' },
    })
    assert.deepEqual([code, stdout], [0, 'freeswitch\tup\t0\t0\t\t\t\t\n'])
    assert.match(stderr, /^trunklined is stopped, or the setting metrics_port is 0: /m)
  })
})

describe('trunkline switch render', () => {
  const DOCUMENT = '<document>\n  <section/>\n</document>\n'
  const asked: [RenderRequest, boolean][] = []
  const options = withSwitches({
    rendered: async (...given) => {
      asked.push(given)
      return [{ name: 'directory.xml', text: DOCUMENT }]
    },
  })

  it('shows what the switch gets of all, of a tenant, of an extension and for one call', async () => {
    for (const words of ['', ' acme', ' acme/101', ' acme/101 0501234567'])
      assert.equal(
        await place.done(`trunkline switch render${words}`, options),
        `# freeswitch: directory.xml\n${DOCUMENT}`,
      )
    const nothing = { tenant: null, extension: null, dialled: null }
    assert.deepEqual(asked.splice(0), [
      [nothing, false],
      [{ ...nothing, tenant: 'acme' }, false],
      [{ ...nothing, tenant: 'acme', extension: '101' }, false],
      [{ tenant: 'acme', extension: '101', dialled: '0501234567' }, false],
    ])
    assert.deepEqual(await place.json('trunkline switch render acme/101', options), [
      { switch: 'freeswitch', name: 'directory.xml', text: DOCUMENT },
    ])
  })

  it('shows secrets on request only, which the audit trail notes', async () => {
    asked.length = 0
    await place.done('trunkline switch render acme/101 --show-secrets', options)
    assert.equal(asked[0]?.[1], true)
    const [entry] = await place.json('trunkline audit list --resource extensions')
    assert.deepEqual([entry.action, entry.changes], ['export', { secrets: 'shown' }])
  })

  it('writes files that only their owner may read, and overwrites none', async () => {
    const out = place.path('rendered')
    const line = `trunkline switch render acme/101 --out ${out}`
    assert.equal((await place.run(line, options)).code, 73)
    mkdirSync(out)
    assert.equal(await place.done(line, options), `Written: ${out}/directory.xml\n`)
    assert.equal(readFileSync(`${out}/directory.xml`, 'utf8'), DOCUMENT)
    assert.equal(statSync(`${out}/directory.xml`).mode & 0o777, 0o600)
    assert.equal((await place.run(line, options)).code, 73)
    assert.ok(existsSync(`${out}/directory.xml`))
  })

  it('names the command for a number without an extension', async () => {
    const { code, stderr } = await place.run('trunkline switch render acme 102', options)
    assert.equal(code, 64)
    assert.match(stderr, /name it as acme\/101/)
  })
})
