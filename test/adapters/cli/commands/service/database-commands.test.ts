import assert from 'node:assert/strict'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { furnish, type Ran, type Workplace, workplace } from '../../../../support/cli/cli.ts'
import { asteriskRow } from '../../../../support/data/switch.ts'
import { startService } from '../../../../support/http/app.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

const ended = async (line: string, expected: Partial<Ran>, options = {}): Promise<void> => {
  assert.deepEqual(await place.run(line, options), { code: 0, stdout: '', stderr: '', ...expected }, line)
}

describe('init', () => {
  it('creates the database, readable only by its owner, and the first account', async () => {
    const other = workplace()
    const { code, stdout, stderr } = await other.run('trunkline init --email admin@example.com --random-password')
    assert.equal(code, 0)
    assert.match(
      stdout,
      /^id {8}1\nname {6}Administrator\nemail {5}admin@example\.com\nrole {6}admin\npassword {2}\S{20}\n$/,
    )
    assert.equal(stderr, `${other.db} is ready. Start the daemon with: trunkline serve\n`)
    assert.equal(statSync(other.db).mode & 0o777, 0o600)
    other.remove()
  })

  it('leaves nothing behind when an answer is missing or wrong', async () => {
    const other = workplace()
    const lines = [
      ['trunkline init', 64, 'hint: trunkline init --email admin@example.com --random-password\n'],
      ['trunkline init --email a@b.example', 64, 'hint: trunkline init --email a@b.example --random-password\n'],
      ['trunkline init --email nobody --random-password', 65, 'hint: trunkline init --help\n'],
    ] as const
    for (const [line, code, hint] of lines) {
      const ran = await other.run(line)
      assert.equal(ran.code, code, line)
      assert.ok(ran.stderr.endsWith(hint), ran.stderr)
      assert.equal(existsSync(other.db), false)
    }
    other.remove()
  })

  it('does not touch a database that has accounts', () =>
    ended('trunkline init --email other@example.com --random-password', {
      code: 73,
      stderr: `error: ${place.db} already has accounts\nhint: trunkline admin list\n`,
    }))
})

describe('status', () => {
  it('counts the records and says whether the daemon answers', async () => {
    const { code, stdout } = await place.run('trunkline status')
    assert.equal(code, 0)
    assert.match(stdout, /^database {2}\S+trunkline\.db \(0\.\d MB, log 0\.\d MB, schema \d+\)\n/)
    assert.match(stdout, /^daemon {4}down \(http:\/\/127\.0\.0\.1:9\)$/m)
    assert.match(stdout, /^extensions {13}1 {2}last written <time>$/m)
  })

  it('says when a resource was last written: by a change of an older record and by a deletion too', async () => {
    const { last_writes: first } = await place.json('trunkline status')
    const queue =
      'trunkline queue create --tenant acme --queue-number 900 --strategy ringall --timeout 60 --status active'
    await place.done(`${queue} --name Night`)
    await place.done('trunkline queue update 1 --status inactive')
    const changed = await place.json('trunkline queue show 1')
    const { last_writes: second } = await place.json('trunkline status')
    assert.ok(second.queues >= changed.updated_at && changed.updated_at > first.queues)
    assert.deepEqual({ ...second, queues: first.queues }, first)
    await place.done('trunkline queue delete 2 --yes')
    const { last_writes: third } = await place.json('trunkline status')
    assert.ok(third.queues > second.queues)
  })

  it('says when calls of a switch were last stored', async () => {
    writeFileSync(place.path('Master.csv'), asteriskRow())
    const { last_writes: before } = await place.json('trunkline status')
    await place.done(`trunkline cdr ingest ${place.path('Master.csv')}`)
    const { last_writes: after } = await place.json('trunkline status')
    assert.ok(after.cdrs > before.cdrs)
  })

  it('finds the daemon where the settings say it listens', async () => {
    const service = await startService({ db: place.db })
    try {
      const TRUNKLINE_PORT = new URL(service.url).port
      const { daemon, counts } = await place.json('trunkline status', { env: { TRUNKLINE_PORT } })
      assert.deepEqual(daemon, { url: service.url, state: 'up', serves_this: true, is_served: false })
      assert.equal(counts.tenants, 1)
      const other = place.path('other.db')
      await place.done(`trunkline init --db ${other} --email admin@example.com --random-password`)
      const status = await place.done(`trunkline status --db ${other}`, { env: { TRUNKLINE_PORT } })
      assert.match(status, /^daemon {4}up \(\S+\), but it serves another database$/m)
    } finally {
      await service.close()
    }
  })
})

describe('config', () => {
  it('shows every setting, its value and where it comes from', async () => {
    writeFileSync(place.path('settings.json'), '{"session_idle": 60}')
    const { stdout } = await place.run(`trunkline config show --config ${place.path('settings.json')}`)
    assert.match(stdout, new RegExp(`^db\t${place.db}\tenvironment$`, 'm'))
    assert.match(stdout, /^session_idle\t60\tfile$/m)
    assert.match(stdout, /^log_level\tinfo\tdefault$/m)
  })

  it('is checked', async () => {
    await ended('trunkline config check', { stderr: 'The settings are right.\n' })
    await ended('trunkline config check -o json', { stdout: '{"right":true,"file":null}\n' })
    await ended(
      'trunkline config check',
      { code: 78, stderr: 'error: TRUNKLINE_LOG_LEVEL must be debug, info, warn, error or silent, not "loud".\n' },
      { env: { TRUNKLINE_LOG_LEVEL: 'loud' } },
    )
  })
})

describe('the database', () => {
  it('is checked', () => ended('trunkline db check', { stdout: 'ok\n' }))

  it('is checked with no rows in CSV when nothing is wrong', () =>
    ended('trunkline db check --output csv', { stdout: '' }))

  it('is brought up to date', async () => {
    const { stdout } = await place.run('trunkline db migrate')
    assert.match(stdout, /^schema \d+\n$/)
  })

  it('is copied, but not over a file or into a missing folder', async () => {
    const { stdout } = await place.run(`trunkline db backup ${place.path('copy.db')}`)
    assert.match(stdout, /copy\.db: 0\.\d MB, verified\n$/)
    await ended(`trunkline db backup ${place.path('copy.db')}`, {
      code: 73,
      stderr: `error: ${place.path('copy.db')} already exists\n`,
    })
    await ended(`trunkline db backup ${place.path('none/copy.db')}`, {
      code: 73,
      stderr: `error: cannot create a file in ${place.path('none')}\n`,
    })
  })

  it('is replaced in a script only with --yes, which a missing one does not need', async () => {
    const line = `trunkline db restore ${place.path('copy.db')}`
    await ended(line, {
      code: 64,
      stderr: `error: replacing ${place.db} by ${place.path('copy.db')} must be confirmed\nhint: ${line} --yes\n`,
    })
    await place.done(`${line} --db ${place.path('fresh.db')}`)
  })

  it('is restored, and the former one kept', async () => {
    await place.done('trunkline tenant update acme --status suspended')
    const { restored, kept } = await place.json(`trunkline db restore ${place.path('copy.db')} --yes`)
    assert.deepEqual([restored, existsSync(kept)], [place.path('copy.db'), true])
    assert.equal((await place.json('trunkline tenant show acme')).status, 'active')
  })

  it('is not restored while another program uses it', async () => {
    const service = await startService({ db: place.db })
    try {
      const { code, stderr } = await place.run(`trunkline db restore ${place.path('copy.db')} --yes`)
      assert.equal(code, 75)
      assert.equal(stderr, `error: ${place.db} is in use.\nhint: systemctl stop trunklined\n`)
    } finally {
      await service.close()
    }
  })

  it('is not restored into a missing folder', () =>
    ended(`trunkline db restore ${place.path('copy.db')} --db ${place.path('none/trunkline.db')}`, {
      code: 73,
      stderr: `error: there is no folder ${place.path('none')}\n`,
    }))

  it('is not restored from a missing file', () =>
    ended('trunkline db restore nowhere.db', { code: 66, stderr: 'error: there is no file nowhere.db\n' }))
})

describe('version', () => {
  it('names the program and what runs it', async () => {
    assert.deepEqual(Object.keys(await place.json('trunkline version')), ['trunkline', 'node'])
    const { stdout } = await place.run('trunkline --version')
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  })
})
