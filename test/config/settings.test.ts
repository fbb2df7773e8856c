import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Given } from '../../config/load.ts'
import { declarations, environmentName, flagName, isSettingName, type SettingName } from '../../config/settings.ts'
import { isJsonObject } from '../../core/json.ts'
import { settingsFolder } from '../support/settings.ts'

const { folder, fileWith, load, messageOf } = settingsFolder()

const NAMES = Object.keys(declarations).filter(isSettingName)

const TOKEN = 'a-token-of-the-tests'

/** For each setting two valid values as text, and some invalid ones. */
const VALUES: Readonly<Record<SettingName, { good: readonly [string, string]; bad: readonly unknown[] }>> = {
  host: { good: ['0.0.0.0', '::1'], bad: ['', '  ', 5, null] },
  port: { good: ['0', '65535'], bad: ['', '-1', '65536', '80.5', '1e3', 'http', true, null, [80]] },
  db: { good: ['/srv/a.db', 'b.db'], bad: ['', 7, null] },
  db_password_file: { good: ['/etc/trunkline/db-password', 'p'], bad: ['', 7] },
  job_dir: { good: ['/srv/jobs', 'jobs'], bad: ['', 7] },
  base_url: {
    good: ['https://pbx.example.com', 'http://127.0.0.1:81/sub'],
    bad: ['', 'pbx.example.com', 'ftp://a', 'https://', 'http://a b', 'http://a?x', 'http://u@a', 'http://a#b', 1],
  },
  session_idle: { good: ['60', '0.5'], bad: ['0', '-1', 'soon', '1h', null, true] },
  session_absolute: { good: ['3600', '31536000'], bad: ['0', '31536001', '', {}] },
  gateway_timeout: { good: ['2.5', '300'], bad: ['0', '301', '15s', null] },
  drain_seconds: { good: ['0', '2.5'], bad: ['', '-1', '301', 'soon', null] },
  log_level: { good: ['debug', 'silent'], bad: ['', 'INFO', 'verbose', 30, null] },
  metrics_port: { good: ['0', '9000'], bad: ['', '65536', 'off', null] },
  backup_every: { good: ['24', '0.5'], bad: ['', '-1', '8761', 'daily', null] },
  ca_file: { good: ['/etc/ssl/own.pem', 'own.pem'], bad: ['', 7] },
  phone_server: { good: ['sip.example.com', '192.0.2.5:5080'], bad: ['', 'sip:a', 'a b', 'a:b', 'a/b', 7] },
  phone_link: { good: ['https://pbx.example.com/{user}.xml', 'csc:{user}:{secret}@ACME'], bad: ['', 7] },
  profiles_dir: { good: ['/etc/trunkline/profiles', 'profiles'], bad: ['', 7, null] },
  backup_dir: { good: ['/srv/backups', 'backups'], bad: ['', 7, null] },
  backup_keep: { good: ['1', '30'], bad: ['', '0', '1.5', 'all', null] },
  parked_hours: { good: ['1', '0.5'], bad: ['', '0', '8761', null] },
  response_days: { good: ['0', '30'], bad: ['', '-1', '0.5', 'ever', null] },
  audit_days: { good: ['30', '730'], bad: ['', '-1', '0.5', null] },
  cdr_partitions: { good: ['off', 'month'], bad: ['', 'year', true, null] },
  cdr_days: { good: ['30', '3650'], bad: ['', '-1', '36501', true] },
  deck_days: { good: ['0', '3650'], bad: ['', '-1', '36501', true] },
  roles: { good: ['off', 'enforced'], bad: ['', 'on', 'Enforced', 1, true, null] },
  trusted_proxies: { good: ['1', '10'], bad: ['-1', '11', '0.5', 'all', true] },
  feeds: {
    good: ['[{"format":"auto","path":"Master.csv","name":"pbx-2","switch":"pbx-2"}]', '[]'],
    bad: ['', 'Master.csv', '{}', `[${Array(101).fill('{"format":"auto","path":"a"}')}]`],
  },
  asterisk: {
    good: [
      '{"dir":"/etc/asterisk/trunkline"}',
      '{"dir":"a","manager":{"port":5039,"password":"secret-of-the-tests"},"cdr_file":"Master.csv"}',
    ],
    bad: ['', 'on', '[]', 5],
  },
  freeswitch: {
    good: [`{"token":"${TOKEN}"}`, `{"token_file":"/etc/trunkline/token","allow":["127.0.0.1","10.0.0.0/8","::1"]}`],
    bad: ['', 'on', '[]', 5],
  },
}

const read = (name: SettingName, given: Partial<Given>) => {
  const { settings, sources } = load(given)
  return { value: settings[name], source: sources[name] }
}

describe('each setting', () => {
  for (const name of NAMES) {
    const { good, bad } = VALUES[name]
    const [first, second] = good

    test(`${name} comes from the flag, else the environment, else the file, else its default`, () => {
      const flags = { [name]: first }
      const environment = { [environmentName(name)]: second }
      const fromFlag = read(name, { flags, environment, file: fileWith({ [name]: second }) })
      const fromEnvironment = read(name, { environment, file: fileWith({ [name]: first }) })
      const fromFile = read(name, { file: fileWith({ [name]: first }) })
      assert.equal(fromFlag.source, 'flag')
      assert.deepEqual(fromFlag.value, fromFile.value)
      assert.equal(fromEnvironment.source, 'environment')
      assert.notDeepEqual(fromEnvironment.value, fromFlag.value)
      assert.equal(fromFile.source, 'file')
      assert.deepEqual(read(name, {}), { value: declarations[name].fallback, source: 'default' })
    })

    test(`${name} is refused when it is wrong, by its name and with what it wants`, () => {
      const { wants } = declarations[name]
      for (const value of bad) {
        // Values that may contain a secret are not shown.
        const found = name === 'freeswitch' || name === 'asterisk' ? '' : `, not ${JSON.stringify(value)}`
        const path = fileWith({ [name]: value })
        assert.equal(messageOf({ file: path }), `${name} in ${path} must be ${wants}${found}.`)
        if (typeof value !== 'string') continue
        assert.equal(messageOf({ flags: { [name]: value } }), `${flagName(name)} must be ${wants}${found}.`)
        if (value === '') continue
        assert.equal(
          messageOf({ environment: { [environmentName(name)]: value } }),
          `${environmentName(name)} must be ${wants}${found}.`,
        )
      }
    })
  }

  test('counts an empty environment variable as none', () => {
    for (const name of NAMES)
      assert.equal(read(name, { environment: { [environmentName(name)]: '' } }).source, 'default', name)
  })

  test('is a number where it should be one, with or without blanks', () => {
    assert.equal(load({ flags: { port: ' 8081 ' } }).settings.port, 8081)
    assert.equal(load({ file: fileWith({ port: 8081 }) }).settings.port, 8081)
    assert.equal(load({ environment: { TRUNKLINE_GATEWAY_TIMEOUT: '2.5' } }).settings.gateway_timeout, 2.5)
  })

  test('has one name in the flag, the environment and the file', () => {
    assert.equal(environmentName('session_idle'), 'TRUNKLINE_SESSION_IDLE')
    assert.equal(flagName('session_idle'), '--session-idle')
    for (const name of NAMES) assert.match(name, /^[a-z]+(_[a-z]+)*$/)
  })
})

describe('the address of the service', () => {
  test('has no slash at its end', () => {
    assert.equal(load({ flags: { base_url: 'https://a.example.com/' } }).settings.base_url, 'https://a.example.com')
    assert.equal(
      load({ flags: { base_url: 'https://a.example.com/b//' } }).settings.base_url,
      'https://a.example.com/b',
    )
  })
})

describe('a feed that is wrong', () => {
  const right = { format: 'auto', path: 'a' }
  for (const [feed, at, says] of [
    [
      { ...right, format: 'asterisk' },
      '.format',
      'must be one of asterisk-csv, asterisk-custom, freeswitch-csv, freeswitch-json, ndjson, auto, not "asterisk"',
    ],
    [{ format: 'auto' }, '.path', 'is missing: it must be a path'],
    [
      { ...right, timezone: 'Mars/Phobos' },
      '.timezone',
      'must be an IANA time zone such as Europe/Kyiv, not "Mars/Phobos"',
    ],
    [{ ...right, tenant: 7 }, '.tenant', 'must be the slug of a tenant, not 7'],
    [{ ...right, contexts: { a: 1 } }, '.contexts', 'must be an object of tenants\' slugs by context, not {"a":1}'],
    [{ ...right, switch: 'pbx 2' }, '.switch', 'must be a name of letters, digits, _ . : -, not "pbx 2"'],
    [{ ...right, name: '' }, '.name', 'must be a name of 1 to 200 characters, not ""'],
    [{ ...right, name: right.path }, '.name', 'must differ from the names and paths of other feeds'],
    [right, '.path', 'must differ from feeds[0].path: both would follow one file'],
    [{ ...right, path: './a' }, '.path', 'must differ from feeds[0].path: both would follow one file'],
    [{ ...right, every: 0 }, '.every', 'must be a number of seconds from 0.05 to 3600, not 0'],
    [
      { ...right, tz: 'UTC' },
      '.tz',
      'is not known; the members are format, path, name, timezone, tenant, contexts, switch, every',
    ],
    ['Master.csv', '', 'must be an object, not "Master.csv"'],
  ] as const)
    test(`is named with its place: feeds[1]${at} ${says}`, () => {
      const feeds = [right, feed]
      const path = fileWith({ feeds })
      assert.equal(messageOf({ file: path }), `feeds[1]${at} in ${path} ${says}.`)
      const environment = { TRUNKLINE_FEEDS: JSON.stringify(feeds) }
      assert.equal(messageOf({ environment }), `TRUNKLINE_FEEDS[1]${at} ${says}.`)
    })
})

describe('the settings file', () => {
  test('may say that a setting without a default has none', () => {
    assert.deepEqual(read('base_url', { file: fileWith({ base_url: null }) }), { value: null, source: 'default' })
  })

  test('is the file named by the flag, else by the environment', () => {
    const [named, other] = [fileWith({ port: 1 }), fileWith({ port: 2 })]
    const environment = { TRUNKLINE_CONFIG: other }
    assert.equal(load({ file: named, environment }).settings.port, 1)
    assert.deepEqual(
      [load({ file: undefined, environment }).settings.port, load({ file: undefined, environment }).file],
      [2, other],
    )
  })

  test('is not named by an empty variable', () => {
    const options = { file: undefined, environment: {} }
    assert.equal(load({ ...options, environment: { TRUNKLINE_CONFIG: '' } }).file, load(options).file)
  })

  test('must be there when it is named', () => {
    const path = join(folder.path, 'missing.json')
    const expected = `The settings file ${path} is not there.`
    assert.equal(messageOf({ file: path }), expected)
    assert.equal(messageOf({ file: undefined, environment: { TRUNKLINE_CONFIG: path } }), expected)
    assert.equal(messageOf({ file: folder.path }), `The settings file ${folder.path} is a folder.`)
  })

  test('must hold a JSON object', () => {
    for (const content of ['[]', 'null', '5', '"text"']) {
      const path = fileWith(content)
      assert.equal(messageOf({ file: path }), `The settings file ${path} must hold a JSON object.`)
    }
  })

  test('is refused with the line where it stops being JSON', () => {
    const faults = {
      '': 'JSON value expected but reached end of input in line 1, column 1',
      'port=1': "JSON value expected but got 'p' in line 1, column 1",
      '{\n  "port": 1\n  "host": "::1"\n}': `Comma ',' expected after value but got '"' in line 3, column 3`,
      '{\n  "port": 1,\n}': "Quoted object key expected but got '}' in line 3, column 1",
    }
    for (const [content, fault] of Object.entries(faults)) {
      const path = fileWith(content)
      assert.equal(messageOf({ file: path }), `The settings file ${path} is not valid JSON: ${fault}.`)
    }
  })

  test('may not set anything twice, since only the last would count', () => {
    const path = fileWith('{\n  "freeswitch": {"lookup_port": 8081},\n  "freeswitch": null\n}')
    const fault = '"freeswitch" is there a second time in line 3, column 3'
    assert.equal(messageOf({ file: path }), `The settings file ${path} is not valid JSON: ${fault}.`)
  })

  test('may name no unknown setting', () => {
    for (const name of ['prot', 'PORT', 'constructor', '__proto__', 'toString']) {
      const path = fileWith(`{${JSON.stringify(name)}:1}`)
      const expected = `${path} has an unknown setting ${JSON.stringify(name)}; the settings are ${NAMES.join(', ')}.`
      assert.equal(messageOf({ file: path }), expected)
    }
  })
})

describe('the example file', () => {
  const path = fileURLToPath(new URL('../../config/trunkline.example.json', import.meta.url))

  test('is read without complaint, and names every setting', () => {
    load({ file: path })
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
    assert.ok(isJsonObject(content))
    assert.deepEqual(Object.keys(content), NAMES)
  })

  test('holds the defaults, except the paths of a service', () => {
    const { settings } = load({ file: path })
    const paths = {
      db: '/var/lib/trunkline/trunkline.db',
      backup_dir: '/var/lib/trunkline/backups',
      profiles_dir: '/etc/trunkline/profiles',
    }
    const defaults = Object.fromEntries(NAMES.map(name => [name, declarations[name].fallback]))
    assert.deepEqual(settings, { ...defaults, ...paths })
  })
})
