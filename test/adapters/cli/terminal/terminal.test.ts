import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { callIds, furnish, missing, unbuilt, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { atTerminal } from '../../../support/cli/terminal.ts'
import { allowDumps, noDumps } from '../../../support/storages.ts'

const ENTER = '\r'
const INTERRUPT = '\x03'
const skip = unbuilt || missing('python3')

let place: Workplace
before(async () => {
  place = workplace()
  await allowDumps(place.folder)
  await furnish(place)
})
after(() => place.remove())

describe('at a terminal, creating', { skip, timeout: 60_000 }, () => {
  it('asks for what is missing under the rules of the fields, the password hidden', async () => {
    const screen = atTerminal(place, ['gateway', 'create', '--name', 'Kannel', '--provider-type', 'kannel'])
    await screen.until('server host:')
    screen.type(`https://sms${ENTER}`)
    await screen.until('The server host field must be a host name or an IP address.')
    screen.type('\x15sms.example.com'.concat(ENTER))
    await screen.until('server port:')
    screen.type(`13013${ENTER}`)
    await screen.until('username:')
    screen.type(ENTER)
    await screen.until('The username field is required.')
    screen.type(`user${ENTER}`)
    await screen.until('password:')
    screen.type(`hush hush${ENTER}`)
    await screen.until('SMS gateway created.')
    assert.equal(await screen.ended(), 0)
    assert.equal(screen.printed().includes('hush hush'), false)
    const { server_host, server_port } = await place.json('trunkline gateway show Kannel')
    assert.deepEqual([server_host, server_port], ['sms.example.com', 13013])
  })

  it('asks for what a provider needs in its words, each under the rules of its field', async () => {
    const screen = atTerminal(place, ['gateway', 'create', '--profile', 'kannel'])
    for (const [question, wrong, problem, right] of [
      ['name:', 'Kannel', 'The name has already been taken.', ' two'],
      ['host of the smsbox:', 'https://sms', 'must be a host name or an IP address.', '\x15sms.test'],
      ['user name of the sendsms-user:', '', 'Kannel needs this.', 'user'],
      ['password of the sendsms-user:', '', 'Kannel needs this.', 'hush hush'],
      ['past which Kannel cuts texts:', 'many', 'max_parts must be a number from 1 to 255.', '\x153'],
      ['default sender id (may be empty):', 'A$', 'The default sender id field format is invalid.', '\x15ACME'],
    ] as const) {
      await screen.until(question)
      screen.type(wrong + ENTER)
      await screen.until(problem)
      // A hidden prompt appears twice: until it is hidden, the terminal echoes what is typed.
      if (question.startsWith('password')) await screen.until(question)
      screen.type(right + ENTER)
    }
    await screen.until('to try it: trunkline gateway test')
    assert.equal(await screen.ended(), 0)
    assert.equal(screen.printed().includes('hush hush'), false)
    const { default_sender_id, server_host, meta } = await place.json("trunkline gateway show 'Kannel two'")
    assert.deepEqual([default_sender_id, server_host], ['ACME', 'sms.test'])
    assert.deepEqual(meta, { profile: 'kannel', max_parts: 3 })
  })

  it('reports a name that is taken as soon as it is typed', async () => {
    const screen = atTerminal(place, ['tenant', 'create', '--name', 'Delta'])
    await screen.until('slug:')
    screen.type(`acme${ENTER}`)
    await screen.until('The slug has already been taken.')
    screen.type(`\x15delta${ENTER}`)
    await screen.until('domain:')
    screen.type(INTERRUPT)
    assert.equal(await screen.ended(), 130)
  })

  it('reports a key of several fields that is taken once its last field is typed', async () => {
    const screen = atTerminal(place, ['ext', 'create', '--tenant', 'acme'])
    await screen.until('extension number:')
    screen.type(`101${ENTER}`)
    await screen.until('The extension number has already been taken.')
    screen.type(INTERRUPT)
    assert.equal(await screen.ended(), 130)
  })

  it('refuses a flag whose value is taken before it asks anything', async () => {
    const screen = atTerminal(place, ['tenant', 'create', '--slug', 'acme'])
    assert.equal(await screen.ended(), 65)
    assert.match(screen.printed(), /^error: --slug: The slug has already been taken\.$/m)
  })

  it('finds a referenced record by a part of its name, and generates a secret on request', async () => {
    for (const slug of ['beta', 'gamma'])
      await place.done(
        `trunkline tenant create --name ${slug} --slug ${slug} --domain ${slug}.example.com --status active --timezone UTC --max-extensions 9`,
      )
    const screen = atTerminal(place, ['ext', 'create', '--extension-number', '201', '--display-name', 'Bob'])
    await screen.until('tenant:')
    await screen.until('❯ gamma')
    screen.type('bet')
    await screen.until('❯ beta')
    screen.type(ENTER)
    await screen.until('secret (empty: a random one):')
    screen.type(ENTER)
    await screen.until('status:')
    screen.type(ENTER)
    await screen.until('Extension created.')
    assert.equal(await screen.ended(), 0)
    assert.match(screen.printed(), /secret {13}[\w-]{24}/)
    const { status, tenant } = await place.json('trunkline ext show beta/201')
    assert.deepEqual([status, tenant.slug], ['active', 'beta'])
  })

  it('does not show a secret that was typed, which is hidden', async () => {
    const screen = atTerminal(
      place,
      'ext create --tenant gamma --extension-number 202 --display-name Eve --status active'.split(' '),
    )
    await screen.until('secret (empty: a random one):')
    screen.type(`hush-hush-81${ENTER}`)
    await screen.until('Extension created.')
    assert.equal(await screen.ended(), 0)
    assert.doesNotMatch(screen.printed(), /hush/)
    assert.equal((await place.json('trunkline ext show gamma/202 --show-secrets')).secret, 'hush-hush-81')
  })

  it('refuses a flag that breaks a rule before it asks anything', async () => {
    const screen = atTerminal(place, ['tenant', 'create', '--timezone', 'Mars/Base'])
    assert.equal(await screen.ended(), 65)
    assert.match(screen.printed(), /^error: --timezone: The timezone field must be a valid timezone\.$/m)
  })

  it('asks nothing with --no-input', async () => {
    const screen = atTerminal(place, ['tenant', 'create', '--no-input'])
    assert.equal(await screen.ended(), 65)
  })

  it('can be interrupted, which ends with 130 and stores nothing', async () => {
    const screen = atTerminal(place, ['tenant', 'create', '--slug', 'delta'])
    await screen.until('name:')
    screen.type(INTERRUPT)
    assert.equal(await screen.ended(), 130)
    assert.equal((await place.run('trunkline tenant show delta')).code, 67)
  })
})

describe('at a terminal, restoring', { skip: skip || noDumps, timeout: 60_000 }, () => {
  it('asks first, except with --yes', async () => {
    const backup = place.path('before.db')
    await place.done(`trunkline db backup ${backup}`)
    await place.done(
      'trunkline tenant create --name Late --slug late --domain late.example.com --status active --timezone UTC --max-extensions 1',
    )
    const refusing = atTerminal(place, ['db', 'restore', backup], 300)
    await refusing.until('Everybody is logged out.')
    refusing.type(`n${ENTER}`)
    assert.equal(await refusing.ended(), 1)
    assert.equal((await place.run('trunkline tenant show late')).code, 0)
    assert.equal(await atTerminal(place, ['db', 'restore', backup, '--yes']).ended(), 0)
    assert.equal((await place.run('trunkline tenant show late')).code, 67)
  })
})

describe('at a terminal, rerating', { skip, timeout: 60_000 }, () => {
  it('asks nothing where nothing would change', async () => {
    const screen = atTerminal(place, ['cdr', 'rerate', 'acme'])
    assert.equal(await screen.ended(), 0)
    assert.equal(screen.printed().trim(), 'would change 0 of 0 calls: 0.0000 -> 0.0000')
  })
})

describe('at a terminal, an account', { skip, timeout: 60_000 }, () => {
  it('asks for its password twice, hidden, and again after one that is too short', async () => {
    const screen = atTerminal(place, ['admin', 'create', 'eve@example.com'])
    await screen.until('Password:')
    screen.type(`abc${ENTER}`)
    await screen.until('The password field must be at least 8 characters.')
    await screen.until('Password:')
    screen.type(`first try${ENTER}`)
    await screen.until('The same again:')
    screen.type(`first cry${ENTER}`)
    await screen.until('The passwords differ; type both again.')
    await screen.until('Password:')
    screen.type(`short${ENTER}`)
    await screen.until('The password field must be at least 8 characters.')
    await screen.until('Password:')
    screen.type(`first third${ENTER}`)
    await screen.until('The same again:')
    screen.type(`first third${ENTER}`)
    await screen.until('eve@example.com')
    assert.equal(await screen.ended(), 0)
    assert.equal(/first/.test(screen.printed()), false)
  })

  it('is the first one when the database is made', async () => {
    const other = workplace()
    await other.ready
    const screen = atTerminal(other, ['init', '--random-password'])
    await screen.until('E-mail:')
    screen.type(`nobody${ENTER}`)
    await screen.until('must be a valid email address')
    screen.type(`\x15first@example.com${ENTER}`)
    await screen.until('is ready')
    assert.equal(await screen.ended(), 0)
    other.remove()
  })
})

describe('at a terminal, deleting', { skip, timeout: 60_000 }, () => {
  it('asks first, and does nothing unless the answer is yes', async () => {
    const screen = atTerminal(place, ['route', 'remove', '1'])
    await screen.until('Delete route 1?')
    screen.type(ENTER)
    await screen.until('error: nothing was deleted')
    assert.equal(await screen.ended(), 1)
    assert.equal((await place.json('trunkline route list')).length, 1)
  })

  it('names what is deleted with a record, and what stays without it', async () => {
    await place.done('trunkline route add --did +380441234567 --target-type queue --target acme/800')
    const [call] = await callIds(place)
    for (const [args, question] of [
      [['ext', 'delete', 'acme/101'], 'extension acme/101 with 1 device, 1 agent, 1 route (left without it: 1 CDR)?'],
      [['queue', 'delete', 'acme/800'], 'queue acme/800 with 1 agent, 1 route?'],
      [['did', 'delete', '+380441234567'], 'DID +380441234567 with 2 routes?'],
      [['cdr', 'delete', String(call)], `CDR ${call}?`],
    ] as const) {
      const screen = atTerminal(place, args, 160)
      await screen.until('(y/N)')
      screen.type(ENTER)
      assert.equal(await screen.ended(), 1)
      assert.ok(screen.printed().includes(`Delete ${question}`), screen.printed())
    }
  })

  it('a tenant shows what goes with it and wants its slug typed', async () => {
    const refused = atTerminal(place, ['tenant', 'delete', 'acme'])
    await refused.until('Delete tenant acme?')
    refused.type(`y${ENTER}`)
    await refused.until('These are deleted with the tenant:')
    await refused.until('1 extension\n')
    await refused.until('1 CDR\n')
    await refused.until('Type acme to delete all of it:')
    refused.type(`yes${ENTER}`)
    assert.equal(await refused.ended(), 1)
    const typed = atTerminal(place, ['tenant', 'delete', 'acme', '--yes'])
    await typed.until('Type acme to delete all of it:')
    typed.type(`acme${ENTER}`)
    await typed.until('Tenant acme deleted.')
    assert.equal(await typed.ended(), 0)
  })
})
