import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { furnish, missing, unbuilt, type Workplace, workplace } from '../../support/cli/cli.ts'
import { atTerminal } from '../../support/cli/terminal.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

/** Runs a line that must be refused and returns its message. */
async function refused(line: string): Promise<string> {
  const { code, stdout, stderr } = await place.run(line)
  assert.deepEqual([code, stdout], [65, ''], line)
  return stderr
}

const statusOf = async (line: string): Promise<unknown> => (await place.json(`trunkline ${line}`)).status
const metaOf = async (): Promise<unknown> => (await place.json('trunkline gateway show Jasmin')).meta

describe('a status that no rule knows', () => {
  it('is refused in a script, with the one that may be meant', async () => {
    assert.equal(
      await refused('trunkline rate update acme/380 --status Active'),
      'error: The status field is Active, which no rule knows (did you mean active?); --force stores it as it is\n' +
        'hint: trunkline rate update acme/380 --status active\n',
    )
    assert.equal(
      await refused('trunkline tenant update acme --status Mars/Phobos'),
      'error: The status field is Mars/Phobos, which no rule knows; known are active, suspended; --force stores it as it is\n',
    )
    assert.equal(await statusOf('rate show acme/380'), 'active')
  })

  it('is refused in a new record, and reported with its rule in JSON', async () => {
    const line =
      'trunkline queue create --tenant acme --name Sales --queue-number 801 --strategy ringall --timeout 60 --status on'
    const { error } = JSON.parse(await refused(`${line} --output json`))
    assert.deepEqual([error.code, Object.keys(error.errors)], ['invalid', ['status']])
    await place.done(`${line} --force`)
    assert.equal(await statusOf('queue show acme/801'), 'on')
  })

  it('that is stored already stands in the way of no other change', async () => {
    await place.done('trunkline queue update acme/801 --timeout 30')
    await refused('trunkline queue update acme/801 --status off')
    await place.done('trunkline queue update acme/801 --status on')
  })

  it('is asked about at a terminal', { skip: unbuilt || missing('python3'), timeout: 60_000 }, async () => {
    for (const [answer, code, status] of [
      ['n', 1, 'active'],
      ['y', 0, 'Busy'],
    ] as const) {
      const screen = atTerminal(place, ['did', 'update', '+380441234567', '--status', 'Busy'])
      await screen.until('The status field is Busy, which no rule knows')
      await screen.until('Store it as it is?')
      screen.type(`${answer}\r`)
      assert.equal(await screen.ended(), code)
      assert.equal(await statusOf('did show +380441234567'), status)
    }
  })
})

describe('a key that rules read', () => {
  it('is refused with another type, and so is one that is nearly the same', async () => {
    const refusal = (predicate: string): string =>
      `error: The meta field holds ${predicate}; --force stores it as it is\n`
    assert.equal(
      await refused(`trunkline gateway update Jasmin --meta '{"dlr_levle":3}'`),
      refusal('dlr_levle, which is not known (did you mean dlr_level?)'),
    )
    assert.equal(
      await refused(`trunkline gateway update Jasmin --meta '{"dlr_ack":1,"own":{"dlr_levle":3}}'`),
      refusal('dlr_ack, which must be text'),
    )
    assert.equal(
      await refused(`trunkline gateway update Jasmin --meta '{"dlr_method":"post","interim_statuses":"enroute"}'`),
      refusal(
        'dlr_method, which must be GET or POST (did you mean POST?); The meta field holds interim_statuses, which must be a list of statuses, such as ["enroute"]',
      ),
    )
    assert.equal(await metaOf(), null)
  })

  it('is refused below another key, with what a tenant may dial from', async () => {
    const refusal = (predicate: string): string =>
      `error: The settings field holds ${predicate}; --force stores it as it is\n`
    assert.equal(
      await refused(`trunkline tenant update acme --settings '{"Dialing":{"country":"US"}}'`),
      refusal('Dialing, which is not known (did you mean dialling?)'),
    )
    assert.equal(
      await refused('trunkline tenant update acme --settings-set dialling.country=UK'),
      refusal('dialling.country, which must be a country by its ISO 3166 code, such as DE (did you mean GB?)'),
    )
    assert.match(
      await refused('trunkline tenant update acme --settings-set dialling.contry=US'),
      /holds dialling\.contry, which is not known.* \(did you mean dialling\.country\?\);/,
    )
    await place.done('trunkline tenant update acme --settings-set dialling.country=US')
    await place.done('trunkline tenant update acme --settings-set dialling.area_code=212')
    const { settings } = await place.json('trunkline tenant show acme')
    assert.deepEqual(settings, { dialling: { country: 'US', area_code: '212' } })
    await place.done('trunkline tenant update acme --settings-unset dialling')
  })

  it('is refused where it limits calls, with the limit that was meant', async () => {
    assert.equal(
      await refused('trunkline tenant update acme --settings-set limits.extension.calls_per_dy=5'),
      'error: The settings field holds limits.extension.calls_per_dy, which is not known (did you mean limits.extension.calls_per_day?); --force stores it as it is\n',
    )
    assert.match(
      await refused('trunkline tenant update acme --settings-set limits.cost_per_day=25,50'),
      /holds limits\.cost_per_day, which must be an amount of money that is not negative, such as 25\.5;/,
    )
    await place.done('trunkline tenant update acme --settings-set limits.cost_per_day=25.50')
    await place.done('trunkline tenant update acme --settings-unset limits')
  })

  it('is set and taken away alone, whatever else is there', async () => {
    const own = '"id":12345678901234567890,"a":{"b":[1,null]}'
    await place.done(`trunkline gateway update Jasmin --meta '{${own}}'`)
    const stored = async (): Promise<string> =>
      place.done('trunkline gateway show Jasmin --output ndjson --fields meta')
    await place.done('trunkline gateway update Jasmin --meta-set dlr_level=3 --meta-set dlr_ack=ACK/Jasmin')
    assert.equal(await stored(), `{"meta":{${own},"dlr_level":3,"dlr_ack":"ACK/Jasmin"}}\n`)
    await place.done('trunkline gateway update Jasmin --meta-unset dlr_ack --meta-set a.c=12 --notes x')
    assert.equal(await stored(), `{"meta":{"id":12345678901234567890,"a":{"b":[1,null],"c":12},"dlr_level":3}}\n`)
    await place.done(
      String.raw`trunkline gateway update Jasmin --meta-set 'a\.b\=c=[1]' --meta-unset a --meta-unset id`,
    )
    assert.equal(await stored(), `{"meta":{"dlr_level":3,"a.b=c":[1]}}\n`)
  })

  it('holds text where the rule reads text, and JSON elsewhere', async () => {
    await place.done('trunkline tenant update acme --settings-set international_prefix=011 --settings-set own=011')
    assert.deepEqual((await place.json('trunkline tenant show acme')).settings, {
      international_prefix: '011',
      own: '011',
    })
    await place.done('trunkline tenant update acme --settings-set international_prefix=9 --settings-set own=9')
    assert.deepEqual((await place.json('trunkline tenant show acme')).settings, { international_prefix: '9', own: 9 })
  })

  it('is refused alone as well, unless it was wrong before', async () => {
    assert.match(
      await refused('trunkline gateway update Jasmin --meta-set dlr_token_in=token'),
      /^error: The meta field holds dlr_token_in, which must be query:NAME or header:NAME/,
    )
    await place.done('trunkline gateway update Jasmin --meta-set dlr_token_in=token --force')
    await place.done('trunkline gateway update Jasmin --meta-set dlr_level=2')
    await place.done('trunkline gateway update Jasmin --meta-unset dlr_token_in')
  })

  it('is set in what the same command gives, and of a new record', async () => {
    await place.done(`trunkline gateway update Jasmin --meta '{"own":1}' --meta-set dlr_level=1`)
    assert.deepEqual(await metaOf(), { own: 1, dlr_level: 1 })
    await place.done(
      'trunkline tenant create --name Beta --slug beta --domain beta.example.com --status active --timezone UTC --max-extensions 5 --settings-set international_prefix=011',
    )
    assert.deepEqual((await place.json('trunkline tenant show beta')).settings, { international_prefix: '011' })
  })

  it('has no key below it where it holds no object, and no value without =', async () => {
    const { code, stderr } = await place.run('trunkline gateway update Jasmin --meta-set own.a=1')
    assert.equal(code, 65)
    assert.match(stderr, /^error: --meta: The meta field holds own, which is not an object\.$/m)
    assert.deepEqual(await place.run('trunkline gateway update Jasmin --meta-set own'), {
      code: 64,
      stdout: '',
      stderr: 'error: --meta-set is written key=value, not own\n',
    })
  })
})

describe('an import', () => {
  const tenantFile = (status: string, settings: string): string => {
    const row = ['Gamma', 'gamma', 'gamma.example.com', status, 'UTC', '5', settings]
    const path = place.path('tenants.csv')
    const cells = row.map(cell => `"${cell.replaceAll('"', '""')}"`).join()
    writeFileSync(path, `name,slug,domain,status,timezone,max_extensions,settings\n${cells}\n`)
    return path
  }

  it('refuses what no rule can read, row by row, unless it is forced', async () => {
    const path = tenantFile('Suspended', '{"international_prefx":"011"}')
    const { code, stderr } = await place.run(`trunkline tenant import ${path}`)
    assert.equal(code, 65)
    const lines = stderr.split('\n').filter(line => line.startsWith(path))
    assert.deepEqual(lines.slice(0, 2), [
      `${path}:2: status: The status field is Suspended, which no rule knows (did you mean suspended?); --force stores it as it is.`,
      `${path}:2: settings: The settings field holds international_prefx, which is not known (did you mean international_prefix?); --force stores it as it is.`,
    ])
    await place.done(`trunkline tenant import ${path} --force`)
    assert.equal(await statusOf('tenant show gamma'), 'Suspended')
  })

  it('refuses a value that --set gives to all', async () => {
    const path = place.path('deck.csv')
    writeFileSync(path, 'prefix,destination,cost_per_minute,billing_increment\n44,UK,0.01,60\n')
    const line = `trunkline rate import ${path} --tenant acme --set status=Active`
    const { code, stderr } = await place.run(line)
    assert.equal(code, 64)
    assert.match(stderr, /--set status: .*Active, which no rule knows/)
    await place.done(`${line} --force`)
  })
})

describe('a profile that cannot be used', () => {
  it('is refused in a script, with the one that may be meant, whether by an edit or in a new gateway', async () => {
    const problem =
      /error: The meta field holds profile, which is not the name of a profile that can be used \(did you mean twilio\?\); --force/
    assert.match(await refused('trunkline gateway update Jasmin --meta-set profile=twillio'), problem)
    const other = 'trunkline gateway create --name Other --provider-type x --server-host a.example.com --server-port 80'
    assert.match(
      await refused(`${other} --username u --password s3cret --meta '{"profile":"twillio"}'`).catch(String),
      problem,
    )
  })

  it('is refused while it lacks what it needs, which is named', async () => {
    assert.match(
      await refused('trunkline gateway update Jasmin --meta-set profile=bandwidth'),
      /holds account\.\w+, which is missing: the profile bandwidth needs it/,
    )
    await place.done('trunkline gateway update Jasmin --meta-set profile=bandwidth --force')
    await place.done('trunkline gateway update Jasmin --notes x')
    await place.done('trunkline gateway update Jasmin --meta-unset profile')
  })
})
