import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { furnish, type RunOptions, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { withSwitches } from '../../../support/cli/switches.ts'
import { changed } from '../../../support/data/reader.ts'

let place: Workplace
let daemon: Server
/** What the daemon measures. */
let series: readonly string[] = []
before(async () => {
  place = workplace()
  await furnish(place)
  daemon = createServer((_, response) => response.end(`${series.join('\n')}\n`)).listen(0, '127.0.0.1')
  await once(daemon, 'listening')
})
after(() => {
  daemon.close()
  place.remove()
})

/** Runs a command on a machine whose daemon answers. */
function besideDaemon(options: RunOptions): RunOptions {
  const address = daemon.address()
  const port = String(typeof address === 'object' && address ? address.port : 0)
  return { ...options, env: { TRUNKLINE_PORT: port, TRUNKLINE_METRICS_PORT: port } }
}

const change = async (...lines: string[]): Promise<void> => {
  for (const line of lines) await changed(place.db, line)
}
const found = async (
  options: RunOptions = besideDaemon(withSwitches({})),
  command = 'switch check',
): Promise<[string, string, string][]> => {
  const { stdout } = await place.run(`trunkline ${command} --output json`, options)
  return JSON.parse(stdout).map(({ kind, finding, fix }: Record<string, string>) => [kind, finding, fix])
}

/** A problem, what causes it and what removes it. */
const TROUBLES: readonly [kind: string, make: string, undo: string, finding: string, fix: string][] = [
  [
    'slug_unfit',
    `UPDATE tenants SET slug = 'Acme & Söhne'`,
    `UPDATE tenants SET slug = 'acme'`,
    'tenant Acme & Söhne cannot be on a switch: its slug may hold only letters, digits, _ . and -',
    `trunkline tenant update 'Acme & Söhne' --slug acme-s-hne`,
  ],
  [
    'domain_unfit',
    `UPDATE tenants SET domain = 'acme.example.com;x'`,
    `UPDATE tenants SET domain = 'acme.example.com'`,
    'a switch cannot use the domain acme.example.com;x of tenant acme',
    'trunkline tenant show acme',
  ],
  [
    'domain_case',
    `UPDATE tenants SET domain = 'ACME.example.com'`,
    `UPDATE tenants SET domain = 'acme.example.com'`,
    'the domain ACME.example.com of tenant acme has capitals: telephones must use exactly these, and many send lower case',
    'trunkline tenant update acme --domain acme.example.com',
  ],
  [
    'limit_unreadable',
    `UPDATE tenants SET settings = '{"limits":{"calls_per_day":"many","extensions":{"101":5}}}'`,
    'UPDATE tenants SET settings = NULL',
    'limits.calls_per_day, limits.extensions.101 of tenant acme cannot be read, so outgoing calls are refused',
    'trunkline tenant show acme --fields settings',
  ],
  [
    'number_unfit',
    `UPDATE extensions SET extension_number = 'desk'`,
    `UPDATE extensions SET extension_number = '101'`,
    'extension acme/desk has a number that cannot be dialled: use only digits, * and #',
    'trunkline extension show acme/desk',
  ],
  [
    'no_secret',
    `UPDATE extensions SET secret = ' '`,
    `UPDATE extensions SET secret = 'x'`,
    'extension acme/101 has no secret, so that its telephones cannot register',
    'trunkline extension update acme/101 --generate-secret',
  ],
  [
    'number_unfit',
    `UPDATE queues SET queue_number = 'a,b'`,
    `UPDATE queues SET queue_number = '800'`,
    'queue acme/a,b has a number that cannot be dialled: use only digits, * and #',
    'trunkline queue show acme/a,b',
  ],
  [
    'hides_emergency',
    `UPDATE tenants SET settings = '{"dialling":{"country":"UA"}}'; UPDATE extensions SET extension_number = '112'`,
    `UPDATE tenants SET settings = NULL; UPDATE extensions SET extension_number = '101'`,
    'extension acme/112 gets the calls of its tenant to the emergency services',
    'trunkline extension show acme/112',
  ],
  [
    'number_unfit',
    `UPDATE dids SET number = 'switchboard'`,
    `UPDATE dids SET number = '+380441234567'`,
    'DID switchboard is not a telephone number',
    'trunkline did show switchboard',
  ],
  [
    'did_of_two_tenants',
    `INSERT INTO tenants SELECT 2, 'Beta', 'beta', 'beta.example.com', status, timezone, 5, NULL, created_at, updated_at FROM tenants;
     INSERT INTO dids SELECT 2, 2, '380 44 123 45 67', provider, NULL, status, created_at, updated_at FROM dids`,
    'DELETE FROM dids WHERE id = 2; DELETE FROM tenants WHERE id = 2',
    'DID 380 44 123 45 67 of tenant beta is one of tenant acme as well, which gets its calls',
    'trunkline did show id:2',
  ],
]

describe('trunkline switch check', () => {
  it('ends with 0 if nothing is wrong', async () => {
    assert.deepEqual(await place.run('trunkline switch check', besideDaemon(withSwitches({}))), {
      code: 0,
      stdout: 'ok: nothing is wrong with the switch\n',
      stderr: '',
    })
  })

  for (const [kind, make, undo, finding, fix] of TROUBLES)
    it(`finds ${finding}`, async () => {
      await change(...make.split(/;\s/))
      try {
        assert.deepEqual(await found(), [[kind, finding, fix]])
      } finally {
        await change(...undo.split(/;\s/))
      }
    })

  it('distinguishes warnings from errors', async () => {
    const finding = (severity: 'error' | 'warning') => ({
      ...{ severity, code: `a_${severity}`, finding: `it is a ${severity}`, fix: null },
    })
    const options = besideDaemon(withSwitches({ findings: [finding('warning'), finding('error')] }))
    const { stdout } = await place.run('trunkline switch check', options)
    assert.match(stdout, /^warning: it is a warning$/m)
    assert.match(stdout, /^found: it is a error$/m)
    const json: unknown[] = JSON.parse((await place.run('trunkline switch check --output json', options)).stdout)
    assert.deepEqual(json[0], { kind: 'a_warning', severity: 'warning', finding: 'it is a warning', fix: '' })
  })

  it('includes findings of the switches, and a switch that is away', async () => {
    const findings = [
      { code: 'token_wrong', severity: 'error', finding: 'the token is wrong', fix: 'trunkline switch setup' },
      { code: 'slow', severity: 'warning', finding: 'a reload took 3 s', fix: null },
    ] as const
    const away = { kind: 'asterisk', away: 'Asterisk does not answer.' } as const
    const options = besideDaemon(withSwitches({ findings }, away))
    assert.deepEqual(await found(options), [
      ['token_wrong', 'the token is wrong', 'trunkline switch setup'],
      ['slow', 'a reload took 3 s', ''],
      ['switch_away', 'Asterisk does not answer', 'trunkline config show'],
    ])
    const { code, stdout } = await place.run('trunkline switch check', options)
    assert.equal(code, 1)
    assert.match(stdout, /warning: a reload took 3 s\nfound: Asterisk/)
  })

  it('reports a daemon that is stopped, since then no change reaches the switch', async () => {
    const [stopped, ...others] = await found(withSwitches({ kind: 'asterisk' }))
    assert.deepEqual(others, [])
    assert.deepEqual(stopped, [
      'daemon_down',
      'the daemon does not answer at http://127.0.0.1:9: no change reaches the switch, and no call is stored',
      'trunkline serve',
    ])
  })

  it('reports a switch that the daemon has not brought in line, until it has', async () => {
    const options = besideDaemon(withSwitches({ kind: 'asterisk' }))
    const connected = 'trunkline_switch_connected{switch="asterisk"} 1'
    series = [connected]
    for (const command of ['switch check', 'doctor']) {
      const [kind, finding] = (await found(options, command)).at(-1) ?? []
      assert.equal(kind, 'asterisk_behind')
      assert.match(finding ?? '', /^trunklined has not brought Asterisk in line with the database yet/)
    }
    series = [connected, 'trunkline_switch_reconciled_timestamp_seconds{switch="asterisk"} 1795312800.25']
    assert.deepEqual(await found(options), [])
    series = []
  })

  it('reports call records that the daemon cannot store, by its own account', async () => {
    series = ['trunkline_feed_failing{feed="/var/a \\"b\\".csv"} 1', 'trunkline_feed_failing{feed="/var/c.csv"} 0']
    for (const command of ['switch check', 'doctor']) {
      const all = await found(besideDaemon(withSwitches({ kind: 'asterisk' })), command)
      const failing = all.filter(([kind]) => kind === 'feed_failing')
      assert.equal(failing.length, 1, JSON.stringify(all))
      assert.match(
        failing[0]?.[1] ?? '',
        /^the daemon cannot store the call records of \/var\/a "b"\.csv: its log says why/,
      )
    }
    series = []
  })

  it('reports that no switch is set, and then nothing that only a switch could use', async () => {
    await change(`UPDATE tenants SET domain = 'ACME.example.com'`)
    assert.deepEqual(
      (await found(withSwitches())).map(([kind]) => kind),
      ['no_switch'],
    )
    assert.deepEqual(
      (await found(withSwitches(), 'doctor')).map(([kind]) => kind),
      ['daemon_down'],
    )
    assert.deepEqual(
      (await found(withSwitches({ away: 'No.' }), 'doctor')).map(([kind]) => kind),
      ['daemon_down', 'domain_case', 'switch_away'],
    )
    await change(`UPDATE tenants SET domain = 'acme.example.com'`)
  })

  it('counts findings beyond the first ten', async () => {
    await change(
      `WITH RECURSIVE k(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM k WHERE i < 14)
       INSERT INTO extensions (tenant_id, extension_number, display_name, secret, status, voicemail_enabled, created_at, updated_at)
       SELECT 1, '10' || i, 'X', '', 'active', false, created_at, updated_at FROM k, extensions WHERE id = 1`,
    )
    const all = await found()
    assert.equal(all.length, 11)
    assert.match(all.at(-1)?.[1] ?? '', /^3 more of this kind, the last: extension acme\/102 has no secret/)
  })
})
