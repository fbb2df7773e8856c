import assert from 'node:assert/strict'
import { copyFileSync, truncateSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Wiring } from '../../../adapters/cli/program.ts'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { migrate, migrations } from '../../../adapters/sqlite/database/migrate.ts'
import { AppError } from '../../../core/errors.ts'
import { furnish, type Workplace, workplace } from '../../support/cli/cli.ts'
import { manualClock } from '../../support/clock.ts'
import { execute } from '../../support/data/stored.ts'
import { databaseAt, onCitus, onDatabase, onPostgres } from '../../support/storages.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

const misuses: readonly (readonly [line: string, code: number, stderr: string])[] = [
  ['trunkline tenat list', 64, "error: unknown command 'tenat'\nhint: trunkline tenant list\n"],
  ['trunkline tenant lst', 64, "error: unknown command 'lst'\nhint: trunkline tenant list\n"],
  ['trunkline flights', 64, "error: unknown command 'flights'\nhint: trunkline --help\n"],
  ['trunkline help flights', 64, "error: unknown command 'flights'\nhint: trunkline --help\n"],
  ['trunkline help tenant fly', 64, "error: unknown command 'fly'\nhint: trunkline tenant --help\n"],
  ['trunkline tenant list --serch=x', 64, "error: unknown option '--serch'\nhint: trunkline tenant list --search=x\n"],
  ['trunkline tenant list --wings', 64, "error: unknown option '--wings'\nhint: trunkline tenant list --help\n"],
  [
    'trunkline tenant list acme',
    64,
    "error: too many arguments for 'list'. Expected 0 arguments but got 1.\nhint: trunkline tenant list --help\n",
  ],
  ['trunkline tenant show', 64, "error: missing required argument 'SLUG|ID'\nhint: trunkline tenant show --help\n"],
  [
    'trunkline tenant list --search',
    64,
    "error: option '--search <text>' argument missing\nhint: trunkline tenant list --help\n",
  ],
  ['trunkline --db', 64, "error: option '--db <database>' argument missing\nhint: trunkline --help\n"],
  ['trunkline -q --output', 64, "error: option '-o, --output <form>' argument missing\nhint: trunkline --help\n"],
  [
    'trunkline tenant list -o xml',
    64,
    "error: option '-o, --output <form>' argument 'xml' is invalid. Allowed choices are table, json, ndjson, csv.\nhint: trunkline --help\n",
  ],
]

describe('a misuse', () => {
  for (const [line, code, stderr] of misuses)
    it(`is reported with the command that was meant, or its help: ${line}`, async () => {
      assert.deepEqual(await place.run(line), { code, stdout: '', stderr })
    })

  it('is reported as JSON where data are requested as JSON', async () => {
    for (const line of ['trunkline --output json tenat list', 'trunkline tenat list -o json']) {
      const { code, stderr } = await place.run(line)
      const { error } = JSON.parse(stderr)
      assert.deepEqual([code, error.code, error.exit_code], [64, 'usage', 64])
      assert.equal(error.hint, line.replace('tenat', 'tenant'))
    }
  })

  it('repeats no secret of its line', async () => {
    const create = 'trunkline extension create --tenant acme'
    for (const [given, hint] of [
      [`${create} --secret hunter2 --sttus active`, 'trunkline extension create --help'],
      [`${create} --secret=hunter2 --sttus active`, 'trunkline extension create --help'],
      [`${create} --secrt=hunter2`, 'trunkline extension create --help'],
      [`${create} --secrt "hunter2'x"`, 'trunkline extension create --help'],
      ['trunkline gatewy create --callback-token hunter2', 'trunkline --help'],
      ['trunkline extension imprt x.csv --set secret=hunter2', 'trunkline extension --help'],
    ] as const)
      for (const line of [given, `${given} -v`]) {
        const { code, stderr } = await place.run(line)
        assert.equal(code, 64)
        assert.ok(stderr.includes(`hint: ${hint}`), stderr)
        assert.doesNotMatch(stderr, /hunter2/)
      }
  })

  it('of a group without a command shows its help on standard error', async () => {
    const { code, stdout, stderr } = await place.run('trunkline tenant')
    assert.deepEqual([code, stdout], [64, ''])
    assert.match(stderr, /^Usage: trunkline tenant/)
  })

  it('of global options without a command shows the help on standard error', async () => {
    const { code, stdout, stderr } = await place.run('trunkline --quiet --db nowhere.db')
    assert.deepEqual([code, stdout], [64, ''])
    assert.match(stderr, /^Usage: trunkline \[options\]/)
  })
})

describe('the global options', () => {
  it('are taken wherever they stand', async () => {
    for (const line of [
      `trunkline --db ${place.db} -o csv --fields slug tenant list --limit 5`,
      `trunkline tenant --fields slug list --limit 5 -o csv --db ${place.db}`,
      `trunkline tenant list --limit 5 --output=csv --fields=slug --db=${place.db}`,
      `trunkline --db ${place.db} --output csv --fields slug tenant list`,
    ])
      assert.deepEqual(await place.run(line, { env: { TRUNKLINE_DB: 'nowhere.db' } }), {
        code: 0,
        stdout: 'slug\nacme\n',
        stderr: '',
      })
  })

  it('may hold the name of a command', async () => {
    const { code, stderr } = await place.run('trunkline --db init tenant list')
    assert.deepEqual(
      [code, stderr],
      [66, `error: There is no database at ${resolve('init')}.\nhint: trunkline --db init init\n`],
    )
  })
})

describe('help', () => {
  it('goes to standard output, wherever it is asked for', async () => {
    const plain = await place.run('trunkline tenant create --help')
    assert.equal(plain.code, 0)
    assert.match(plain.stdout, /^Usage: trunkline tenant create/)
    for (const line of [
      'trunkline help tenant create',
      'trunkline --help tenant create',
      'trunkline tenant --help create',
      'trunkline tenant help create',
      'trunkline --db nowhere.db help tenant create',
    ])
      assert.deepEqual(await place.run(line), plain, line)
  })

  it('is what a bare trunkline shows, with every command', async () => {
    const { code, stdout } = await place.run('trunkline')
    assert.equal(code, 0)
    for (const name of ['init', 'serve', 'doctor', 'tenant', 'extension, ext', 'sms', 'completion <shell>', 'version'])
      assert.ok(stdout.includes(`\n  ${name.replace(' <shell>', '')}`), name)
  })

  it('fits the terminal', async () => {
    const { stdout } = await place.run('trunkline tenant create --help', { columns: 80 })
    const [before = ''] = stdout.split('Example:')
    assert.ok(before.split('\n').every(line => line.length <= 80))
  })

  it('of an alias is that of the command', async () => {
    assert.deepEqual(await place.run('trunkline ext list --help'), await place.run('trunkline extension list --help'))
  })
})

const files = (): void => {
  before(() => {
    writeFileSync(place.path('empty.db'), '')
    writeFileSync(place.path('text.db'), 'This is a letter, not a database.\n'.repeat(100))
    copyFileSync(place.db, place.path('damaged.db'))
    truncateSync(place.path('damaged.db'), 9_000)
    new Sqlite(place.path('foreign.db')).exec('CREATE TABLE other (id)').close()
  })

  it('that does not exist is missing input, and the hint creates it', async () => {
    const nowhere = place.path('no where.db')
    assert.deepEqual(await place.run(`trunkline tenant list --db '${nowhere}'`), {
      code: 66,
      stdout: '',
      stderr: `error: There is no database at ${nowhere}.\nhint: trunkline --db '${nowhere}' init\n`,
    })
  })

  for (const name of ['empty.db', 'text.db', 'foreign.db'])
    it(`that is no database ends with 74: ${name}`, async () => {
      const { code, stdout, stderr } = await place.run(`trunkline tenant list --db ${place.path(name)}`)
      assert.deepEqual([code, stdout], [74, ''])
      assert.match(stderr, /^error: .*\n(?:hint: trunkline .*\n)?$/)
    })

  it('of a damaged database ends with 74', async () => {
    const { code } = await place.run(`trunkline extension list --db ${place.path('damaged.db')}`)
    assert.equal(code, 74)
  })

  it('of an older schema ends with 78, and the hint brings it up to date', async () => {
    const older = place.path('older.db')
    const db = new Sqlite(older)
    migrate(db, migrations.slice(0, -1))
    db.close()
    assert.deepEqual(await place.run(`trunkline tenant list --db ${older}`), {
      code: 78,
      stdout: '',
      stderr: `error: ${older} has an older schema.\nhint: trunkline --db ${older} db migrate\n`,
    })
    await place.done(`trunkline --db ${older} db migrate`)
    await place.done(`trunkline tenant list --db ${older}`)
  })
}

if (!onPostgres) describe('a file', files)

const databases = (): void => {
  const unjoined = onCitus && 'a database is joined to its cluster first'
  it('without tables is missing input, and the hint creates them', { skip: unjoined }, async () => {
    const { newDatabase } = await import('../../support/postgres/databases.ts')
    const db = await newDatabase()
    const { code, stdout, stderr } = await place.run(`trunkline tenant list --db '${db}'`)
    assert.deepEqual([code, stdout], [66, ''])
    assert.match(stderr, /^error: There is no database of Trunkline at postgres:.*\nhint: trunkline --db '\S+' init\n$/)
  })

  it('of an older schema ends with 78, and the hint brings it up to date', async () => {
    const db = await databaseAt(place.path('older.db'))
    await onDatabase(db, manualClock(), storage => execute(storage, 'UPDATE schema_version SET version = version - 1'))
    const { code, stdout, stderr } = await place.run(`trunkline tenant list --db '${db}'`)
    assert.deepEqual([code, stdout], [78, ''])
    assert.match(
      stderr,
      /^error: (?:postgres|citus):\S+ has an older schema\.\nhint: trunkline --db '\S+' db migrate\n$/,
    )
  })

  it('that nobody serves ends with 69, with what to check', async () => {
    const { code, stdout, stderr } = await place.run('trunkline tenant list --db postgres://trunkline@127.0.0.1:1/x')
    assert.deepEqual([code, stdout], [69, ''])
    assert.match(stderr, /nothing listens there\.\nhint: start the server/)
  })
}

if (onPostgres) describe('a database of a server', databases)

describe('a database', () => {
  it('that another program holds ends with 75', { timeout: 30_000 }, async () => {
    const wiring = (given: Wiring): Wiring => ({
      ...given,
      open: async () => {
        throw new AppError('busy', 'The database is busy; try again in a moment.')
      },
    })
    assert.deepEqual(await place.run('trunkline tenant list', { wiring }), {
      code: 75,
      stdout: '',
      stderr: 'error: The database is busy; try again in a moment.\n',
    })
  })
})

describe('the settings', () => {
  it('that are wrong end with 78', async () => {
    assert.deepEqual(await place.run('trunkline tenant list', { env: { TRUNKLINE_PORT: 'http' } }), {
      code: 78,
      stdout: '',
      stderr: 'error: TRUNKLINE_PORT must be an integer from 0 to 65535, not "http".\n',
    })
  })

  it('whose file is not there end with 78', async () => {
    const { code } = await place.run('trunkline config check --config nowhere.json')
    assert.equal(code, 78)
  })
})

describe('an input file', () => {
  it('that is not there ends with 66', async () => {
    const line = 'trunkline extension update acme/101 --secret-file nowhere.txt'
    assert.deepEqual(await place.run(line), {
      code: 66,
      stdout: '',
      stderr: 'error: cannot read nowhere.txt (ENOENT)\n',
    })
  })

  it('without a secret in it ends with 66', async () => {
    const { code, stderr } = await place.run('trunkline extension update acme/101 --secret-file -')
    assert.deepEqual([code, stderr], [66, 'error: there is no secret in standard input\n'])
  })
})
