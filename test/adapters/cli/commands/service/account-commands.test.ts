import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { AuditEntry } from '../../../../../core/audit.ts'
import { type Ran, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { startService } from '../../../../support/http/app.ts'

const ROLES_OFF =
  'Roles are not enforced: whatever its role, the account may do everything. The setting roles = enforced limits it to its role.\n'

let place: Workplace
before(async () => {
  place = workplace()
  await place.done('trunkline init --email admin@example.com --password-file -', { input: 'correct horse' })
})
after(() => place.remove())

const ended = async (line: string, expected: Partial<Ran>, options = {}): Promise<void> => {
  assert.deepEqual(await place.run(line, options), { code: 0, stdout: '', stderr: '', ...expected }, line)
}

describe('accounts', () => {
  it('are listed with their state', () =>
    ended('trunkline admin list', { stdout: '1\tAdministrator\tadmin@example.com\tadmin\tactive\t<time>\t\n' }))

  it('are made with a random password, which is printed', async () => {
    const made = await place.json('trunkline admin create carol@example.com --role manager --random-password')
    assert.match(made.password, /^[\w-]{20}$/)
    assert.deepEqual(
      { ...made, password: '' },
      { id: 2, name: 'carol', email: 'carol@example.com', role: 'manager', password: '' },
    )
  })

  it('are made with a password from standard input, which is printed nowhere', async () => {
    const line = "trunkline admin create dave@example.com --name 'Dave D' --password-file -"
    await ended(
      line,
      {
        stdout: 'id     3\nname   Dave D\nemail  dave@example.com\nrole   admin\n',
        stderr: ROLES_OFF,
      },
      { input: 'secret words\n' },
    )
  })

  it('may be tied to one tenant, by its slug', async () => {
    const tenant = '--name Acme --slug acme --domain acme.example --timezone UTC --max-extensions 5 --status active'
    await place.done(`trunkline tenant create ${tenant}`)
    const line = 'trunkline admin create tied@example.com --tenant acme --role manager --password-file -'
    const env = { TRUNKLINE_ROLES: 'enforced' }
    const { stdout, stderr } = await place.run(line, { input: 'secret words', env })
    assert.match(stdout, /^tenant +acme$/m)
    assert.equal(
      stderr,
      'Roles are enforced: the account may do what the role manager allows with what belongs to its tenant.\n',
    )
    const rows = await place.json('trunkline admin list')
    assert.equal(rows.at(-1).tenant, 'acme')
    assert.equal(rows[0].tenant, null)
    const unknown = await place.run('trunkline admin create x@example.com --tenant nobody --random-password')
    assert.equal(unknown.code, 67)
    await ended('trunkline admin set tied@example.com --no-tenant', { stderr: 'Account tied@example.com changed.\n' })
    assert.equal((await place.json('trunkline admin list')).at(-1).tenant, null)
    await place.done("trunkline admin set tied@example.com --tenant acme --name 'Ty D'")
    const { name, tenant: slug } = (await place.json('trunkline admin list')).at(-1)
    assert.deepEqual([name, slug], ['Ty D', 'acme'])
    assert.equal((await place.run('trunkline admin set tied@example.com')).code, 64)
    assert.equal((await place.run('trunkline admin set tied@example.com --tenant nobody')).code, 67)
    assert.equal((await place.run('trunkline admin set nobody@example.com --no-tenant')).code, 67)
    await place.done('trunkline tenant delete acme --yes')
    assert.equal((await place.json('trunkline admin list')).at(-1).tenant, '1 (deleted)')
    await place.done('trunkline admin delete tied@example.com --yes')
  })

  it('cannot be made twice', () =>
    ended('trunkline admin create DAVE@example.com --random-password', {
      code: 65,
      stderr: 'error: An account for DAVE@example.com already exists.\n',
    }))

  it('need a valid e-mail address', () =>
    ended('trunkline admin create dave --random-password', {
      code: 65,
      stderr: 'error: The email field must be a valid email address.\nhint: trunkline admin create --help\n',
    }))

  it('need a password, which a script cannot be asked for', () =>
    ended('trunkline admin create erin@example.com', {
      code: 64,
      stderr:
        'error: there is no password: give --password-file or --random-password\nhint: trunkline admin create erin@example.com --random-password\n',
    }))

  it('names everything that is missing at once', () =>
    ended('trunkline init --db new.db --name Root', {
      code: 64,
      stderr:
        'error: there is no e-mail and no password: give --email, and --password-file or --random-password\n' +
        'hint: trunkline init --db new.db --name Root --email admin@example.com --random-password\n',
    }))

  it('have a password of eight characters or more', async () => {
    const short = { code: 65, stderr: 'error: The password field must be at least 8 characters.\n' }
    for (const line of ['create erin@example.com', 'passwd dave@example.com']) {
      const verb = line.split(' ')[0]
      const stderr = `${short.stderr}hint: trunkline admin ${verb} --help\n`
      await ended(`trunkline admin ${line} --password-file -`, { ...short, stderr }, { input: 'abc' })
    }
    const db = place.path('other.db')
    const { code } = await place.run(`trunkline --db ${db} init --email a@b.co --password-file -`, { input: 'abc' })
    assert.deepEqual([code, existsSync(db)], [65, false])
  })

  it('get a new password', () =>
    ended(
      'trunkline admin passwd dave@example.com --password-file -',
      { stderr: 'The password of dave@example.com was changed; its sessions have ended.\n' },
      { input: 'other words' },
    ))

  it('get another role, if there is such a role', async () => {
    await ended('trunkline admin role dave@example.com supervisor', { stderr: 'dave@example.com is supervisor now.\n' })
    await ended('trunkline admin role dave@example.com king', {
      code: 64,
      stderr: 'error: there is no role king; there are admin, manager, supervisor\n',
    })
  })

  it('can be disabled and enabled', async () => {
    const state = async () =>
      (await place.json('trunkline admin list')).find((row: { id: number }) => row.id === 3).state
    await ended('trunkline admin disable dave@example.com', { stderr: 'dave@example.com is disabled now.\n' })
    assert.equal(await state(), 'disabled')
    await ended('trunkline admin enable dave@example.com', { stderr: 'dave@example.com is enabled now.\n' })
    assert.equal(await state(), 'active')
  })

  it('are not disabled or deleted if nobody else could log in', async () => {
    await place.done('trunkline admin disable carol@example.com')
    await place.done('trunkline admin disable dave@example.com')
    const stderr =
      'error: admin@example.com is the only account that can log in; make or enable another first.\nhint: trunkline admin create another@example.com --random-password\n'
    await ended('trunkline admin disable admin@example.com', { code: 65, stderr })
    await ended('trunkline admin delete admin@example.com --yes', { code: 65, stderr })
    await place.done('trunkline admin enable dave@example.com')
    await place.done('trunkline admin disable admin@example.com')
    await place.done('trunkline admin enable admin@example.com')
  })

  it('are deleted after a confirmation', async () => {
    await ended('trunkline admin delete dave@example.com', {
      code: 64,
      stderr:
        'error: deleting account dave@example.com must be confirmed\nhint: trunkline admin delete dave@example.com --yes\n',
    })
    await ended('trunkline admin delete dave@example.com --yes', { stderr: 'Account dave@example.com deleted.\n' })
    await ended('trunkline admin delete dave@example.com --yes', {
      code: 67,
      stderr: 'error: There is no account dave@example.com.\nhint: trunkline admin list\n',
    })
  })
})

describe('sessions', () => {
  it('are listed, and ended for one account or for all, which is noted', async () => {
    const service = await startService({ db: place.db })
    try {
      await service.trunkline.accountKeeping.create({ email: 'fay@example.com', password: 'known well' })
      const login = () =>
        service.request('POST', '/api/admin/login', { json: { email: 'fay@example.com', password: 'known well' } })
      const first = await login()
      await login()
      const rows = await place.json('trunkline session list --fields email')
      assert.deepEqual(rows, [{ email: 'fay@example.com' }, { email: 'fay@example.com' }])
      await ended('trunkline session revoke fay@example.com', { stdout: '2 sessions ended\n' })
      const session = first.headers.getSetCookie().at(-1)?.split(';')[0] ?? ''
      assert.equal((await service.request('GET', '/api/admin/me', { session })).status, 401)
      await login()
      await login()
      const [listed] = await place.json('trunkline session list')
      await ended(`trunkline session revoke --id ${listed.id}`, { stdout: '1 session ended\n' })
      assert.equal((await place.run(`trunkline session revoke --id ${listed.id}`)).code, 67)
      await ended('trunkline session revoke --all', { stdout: '1 session ended\n' })
      await ended('trunkline session list --output csv', { stdout: 'id,email,created_at,expires_at\n' })
      await ended('trunkline session revoke --all', { stdout: '0 sessions ended\n' })
      const noted: AuditEntry[] = await place.json('trunkline audit list --action revoke')
      const { id } = (await service.trunkline.storage.accounts.findByEmail('fay@example.com')) ?? {}
      assert.deepEqual(
        noted.map(({ resource, record_id, changes }) => [resource, record_id, changes]),
        [
          ['accounts', null, { sessions: 1 }],
          ['accounts', id, { sessions: 1 }],
          ['accounts', id, { sessions: 2 }],
        ],
      )
      assert.equal(noted[0]?.origin, 'command line')
    } finally {
      await service.close()
    }
  })

  it('are of an account that is named, or of all', async () => {
    for (const [given, said] of [
      ['', 'name an account, or give --id or --all'],
      [' admin@example.com --all', 'give an account, --id or --all, and only one'],
    ] as const)
      await ended(`trunkline session revoke${given}`, {
        code: 64,
        stderr: `error: ${said}\nhint: trunkline session list\n`,
      })
  })
})
