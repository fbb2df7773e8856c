import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { callIds, furnish, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { columnOf, execute } from '../../../support/data/stored.ts'
import { asteriskRow } from '../../../support/data/switch.ts'
import { startService, type TestService } from '../../../support/http/app.ts'
import { onPostgres } from '../../../support/storages.ts'

let place: Workplace
let service: TestService
before(async () => {
  place = workplace()
  await furnish(place)
  service = await startService({ db: place.db })
})
after(async () => {
  await service.close()
  place.remove()
})

const env = () => ({ TRUNKLINE_PORT: new URL(service.url).port })

const findings = async (options: { env?: Record<string, string> } = {}): Promise<[string, string][]> => {
  const { stdout } = await place.run('trunkline doctor --output json', { env: { ...env(), ...options.env } })
  return JSON.parse(stdout).map(({ finding, fix }: Record<string, string>) => [finding, fix])
}

describe('doctor', () => {
  it('finds nothing when all is well', async () => {
    assert.deepEqual(await place.run('trunkline doctor', { env: env() }), {
      code: 0,
      stdout: 'ok: nothing is wrong\n',
      stderr: '',
    })
  })

  it('ends with 1 and the command that fixes it when the daemon is down', async () => {
    assert.deepEqual(await place.run('trunkline doctor'), {
      code: 1,
      stdout: 'found: the daemon does not answer at http://127.0.0.1:9\n  fix: trunkline serve\n',
      stderr: '',
    })
  })

  it('finds that the daemon serves another database', async () => {
    const other = workplace()
    await furnish(other)
    const { stdout } = await other.run('trunkline doctor', { env: env() })
    assert.equal(stdout, `found: the daemon at ${service.url} serves another database\n  fix: trunkline config show\n`)
    other.remove()
  })

  it('finds that there is no database', async () => {
    const { code, stdout } = await place.run(`trunkline doctor --db ${place.path('none.db')}`)
    assert.equal(code, 1)
    assert.equal(
      stdout,
      `found: There is no database at ${place.path('none.db')}\n  fix: trunkline --db ${place.path('none.db')} init\n`,
    )
  })

  it('finds a path where no database can be', async () => {
    const { stdout } = await place.run(`trunkline doctor --db ${place.folder}`)
    assert.equal(
      stdout,
      `found: ${place.folder} is not a regular file, so it cannot be a database\n  fix: trunkline --db ${place.folder} config show\n`,
    )
  })

  it('finds settings that are wrong', async () => {
    const [[finding = '', fix] = []] = await findings({ env: { TRUNKLINE_LOG_LEVEL: 'loud' } })
    assert.match(finding, /^TRUNKLINE_LOG_LEVEL must be/)
    assert.equal(fix, 'trunkline config check')
  })

  if (!onPostgres)
    it('finds a database that others can read', async () => {
      chmodSync(place.db, 0o644)
      assert.deepEqual(await findings(), [[`${place.db} can be read by others`, `chmod 600 ${place.db}`]])
    })

  it('finds that no account can log in', async () => {
    await execute(service.trunkline.storage, 'UPDATE accounts SET disabled = true')
    assert.deepEqual(await findings(), [['no account can log in', 'trunkline admin enable admin@example.com']])
    await place.done('trunkline admin enable admin@example.com')
  })

  it('finds a tenant above its limit, not one at its limit, and fixes the limit', async () => {
    await place.done('trunkline tenant update acme --max-extensions 1')
    assert.deepEqual(await findings(), [])
    await place.done('trunkline tenant update acme --max-extensions 10')
    await place.done(
      'trunkline extension create --tenant acme --extension-number 102 --display-name B --generate-secret --status active',
    )
    await place.done('trunkline tenant update acme --max-extensions 1')
    const [[finding, fix = ''] = []] = await findings()
    assert.equal(finding, 'tenant acme has 2 extensions, but may have only 1')
    await place.done(fix)
    assert.deepEqual(await findings(), [])
    await place.done('trunkline extension delete acme/102 --yes')
  })

  it('finds records that share a key, and removes the unused rate or the newer of other records', async () => {
    await place.done('trunkline did create --tenant acme --number +380441234567 --provider Other --status active')
    await place.done(
      'trunkline rate create --tenant acme --prefix 380 --destination Twice --cost-per-minute 1 --billing-increment 1 --status active',
    )
    const found = await findings()
    assert.deepEqual(found, [
      ['rates 2 and 1 have the same tenant_id and prefix (380)', 'trunkline rate delete id:1'],
      ['DIDs 2 and 1 have the same number (+380441234567)', 'trunkline did delete id:2'],
    ])
    for (const [, fix] of found) await place.done(`${fix} --yes`)
    assert.deepEqual(await findings(), [])
  })

  it('removes the unused record, even if it is the older one', async () => {
    const rate = (status: string) =>
      `trunkline rate create --tenant acme --prefix 44 --destination UK --cost-per-minute 1 --billing-increment 1 --status ${status}`
    await place.done(rate('active'))
    await place.done(rate('inactive'))
    const [[finding = '', fix = ''] = []] = await findings()
    assert.match(finding, /have the same tenant_id and prefix \(44\)/)
    await place.done(`${fix} --yes`)
    assert.match(await place.done('trunkline rate quote acme 44123456'), /44/)
    assert.deepEqual(await findings(), [])
  })

  it('finds records that join two tenants, as db check does, and separates them', async () => {
    await place.done(
      'trunkline tenant create --name Beta --slug beta --domain beta.example.com --status active --timezone UTC --max-extensions 5',
    )
    await place.done(
      'trunkline extension create --tenant beta --extension-number 101 --display-name B --generate-secret --status active',
    )
    const { storage } = service.trunkline
    const [beta] = await columnOf(storage, 'SELECT id FROM extensions WHERE tenant_id = 2')
    await execute(
      storage,
      `UPDATE agents SET extension_id = ${beta}; UPDATE routes SET target_id = ${beta}; UPDATE cdrs SET extension_id = ${beta}`,
    )
    const [call] = await callIds(place)
    const found = await findings()
    assert.deepEqual(found, [
      [
        `CDR ${call} joins two tenants: tenant acme and extension beta/101`,
        `trunkline cdr update id:${call} --extension ''`,
      ],
      ['agent 1 joins two tenants: queue acme/800 and extension beta/101', 'trunkline agent remove id:1'],
      ['route 1 joins two tenants: DID +380441234567 of acme and extension beta/101', 'trunkline route remove id:1'],
    ])
    const checked = await place.run('trunkline db check --output json')
    assert.equal(checked.code, 1)
    assert.deepEqual(
      JSON.parse(checked.stdout).map(({ kind, finding, fix }: Record<string, string>) => [kind, finding, fix]),
      found.map(each => ['two_tenants', ...each]),
    )
    for (const [, fix] of found) await place.done(fix.includes('remove') ? `${fix} --yes` : fix)
    assert.deepEqual(await findings(), [])
    await place.done('trunkline tenant delete beta --yes --cascade')
  })

  it('finds a callback token that is not checked, and where to look for it', async () => {
    await place.done(`trunkline gateway update Jasmin --callback-token f1b6 --meta '{"dlr_level":3}'`)
    const [[finding, fix = ''] = []] = await findings()
    assert.equal(finding, 'gateway Jasmin has a callback token, but nothing checks it')
    await place.done(fix)
    assert.deepEqual((await place.json('trunkline gateway show Jasmin')).meta, {
      dlr_level: 3,
      dlr_token_in: 'query:token',
    })
    assert.deepEqual(await findings(), [])
  })

  it('finds a place of the token that cannot be read', async () => {
    await place.done(`trunkline gateway update Jasmin --meta-set dlr_token_in=somewhere --force`)
    const [[finding, fix = ''] = []] = await findings()
    assert.match(
      finding ?? '',
      /^the meta field of SMS gateway Jasmin holds dlr_token_in, which must be query:NAME or header:NAME; until then every receipt is refused/,
    )
    await place.done(fix)
  })

  it('finds that receipts cannot arrive from another host', async () => {
    const { storage } = service.trunkline
    await execute(storage, "UPDATE sms_gateways SET server_host = 'sms.example.com'; DELETE FROM gateway_targets")
    const [[finding = ''] = []] = await findings()
    assert.match(finding, /base_url is not set$/)
    assert.deepEqual(await findings({ env: { TRUNKLINE_BASE_URL: 'https://pbx.example.com' } }), [])
    await execute(storage, "UPDATE sms_gateways SET server_host = '127.0.0.1'; DELETE FROM gateway_targets")
  })

  it('finds a base_url where the daemon does not listen', async () => {
    const env = { TRUNKLINE_PORT: '9', TRUNKLINE_BASE_URL: 'http://127.0.0.1:8080' }
    const found = async (given: typeof env): Promise<string[][]> =>
      (await findings({ env: given })).filter(([finding]) => finding?.includes('base_url'))
    const [[finding = '', fix] = []] = await found(env)
    assert.match(
      finding,
      /^base_url is http:\/\/127\.0\.0\.1:8080, but the daemon listens at http:\/\/127\.0\.0\.1:9, /,
    )
    assert.equal(fix, 'export TRUNKLINE_BASE_URL=http://127.0.0.1:9')
    assert.deepEqual(await found({ ...env, TRUNKLINE_BASE_URL: 'http://127.0.0.1:9' }), [])
  })

  it('finds feeds of call records that cannot be followed', async () => {
    const path = place.path('Master.csv')
    const TRUNKLINE_FEEDS = JSON.stringify([{ format: 'auto', path, tenant: 'nobody' }])
    assert.deepEqual(await findings({ env: { TRUNKLINE_FEEDS } }), [
      [`there is nothing at ${path}, a feed of call records`, `ls -l ${place.folder}`],
      [`the feed of ${path} is for tenant nobody, which does not exist`, 'trunkline tenant create --slug nobody'],
    ])
    writeFileSync(path, '')
    assert.equal((await findings({ env: { TRUNKLINE_FEEDS } })).length, 1)
    const folder = JSON.stringify([{ format: 'asterisk-csv', path: place.folder }])
    assert.deepEqual(await findings({ env: { TRUNKLINE_FEEDS: folder } }), [
      [
        `${place.folder} is a folder, but only freeswitch-json or auto can be read from a folder, not asterisk-csv`,
        `ls -l ${place.folder}`,
      ],
    ])
  })

  it('finds call records of Asterisk that will never be there, and says when a file that is missing will be', async () => {
    const [path, lost] = [place.path('cdr-csv/Master.csv'), place.path('nowhere/Master.csv')]
    const found = async (cdr_file: string): Promise<string[]> => {
      const TRUNKLINE_ASTERISK = JSON.stringify({ dir: place.folder, cdr_file })
      const all = await findings({ env: { TRUNKLINE_ASTERISK } })
      return all.flatMap(([finding = '']) => (finding.includes('Master.csv') ? [finding] : []))
    }
    mkdirSync(place.path('cdr-csv'))
    assert.deepEqual(await found(path), [
      `there is nothing at ${path} yet: Asterisk makes it at the end of the first call`,
    ])
    assert.deepEqual(await found(lost), [`there is nothing at ${lost}, a feed of call records`])
    const checked = async (cdr_file: string): Promise<string> => {
      const TRUNKLINE_ASTERISK = JSON.stringify({ dir: place.folder, cdr_file })
      return (await place.run('trunkline switch check', { env: { TRUNKLINE_ASTERISK } })).stdout
    }
    assert.doesNotMatch(await checked(path), /Master\.csv/)
    assert.match(await checked(lost), /there is nothing at .*nowhere\/Master\.csv/)
  })

  it('finds call records that wait in quarantine', async () => {
    const found = async () => (await findings()).filter(([finding]) => finding.includes('quarantine'))
    writeFileSync(place.path('Master.csv'), asteriskRow({ accountcode: 'nobody' }))
    await place.done(`trunkline cdr ingest ${place.path('Master.csv')} --quiet`)
    assert.deepEqual(await found(), [['1 call record waits in quarantine', 'trunkline cdr quarantine list']])
    await place.done('trunkline cdr quarantine discard 1 --yes')
    assert.deepEqual(await found(), [])
  })
})
