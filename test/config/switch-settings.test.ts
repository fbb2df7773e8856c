import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { describe, test } from 'node:test'
import { nameOf } from '../../config/feeds.ts'
import { settingsFolder } from '../support/settings.ts'

const { fileWith, load, messageOf } = settingsFolder()

const TOKEN = 'a-token-of-the-tests'

describe('the setting of FreeSWITCH that is wrong', () => {
  test('is named by its member, and no secret of it is shown', () => {
    for (const [freeswitch, says] of [
      [{ token: 'too-short' }, /^freeswitch\.token in .* must be 16 to 200 letters/],
      [{ tokens: TOKEN }, /^freeswitch\.tokens in .* is not known; the members are token, /],
      [
        { token: TOKEN, event_socket: { port: 0 } },
        /^freeswitch\.event_socket\.port in .* must be an integer .*, not 0/,
      ],
      [
        { token: TOKEN, event_socket: { password: 'two words' } },
        /^freeswitch\.event_socket\.password in .* blanks\.$/,
      ],
      [{ token: TOKEN, lookup_port: 0 }, /^freeswitch\.lookup_port in .* must be an integer from 1 .*, not 0/],
      [{ token: TOKEN, lookup_port: 70_000 }, /^freeswitch\.lookup_port in .* must be an integer .*, not 70000/],
      [{ token: TOKEN, allow: ['0.0.0.0/33'] }, /^freeswitch\.allow in /],
      [`{"token": "${TOKEN}"`, /^freeswitch in .* must be an object/],
    ] as const) {
      const message = messageOf({ file: fileWith({ freeswitch }) })
      assert.match(message, says)
      assert.doesNotMatch(message, /too-short|two words|a-token/)
    }
  })
})

describe('a port for the lookups of FreeSWITCH', () => {
  const lookingUpAt = (lookup_port: number): string => fileWith({ freeswitch: { token: TOKEN, lookup_port } })

  test("is not one of the daemon's own", () => {
    for (const [port, name] of [
      [8080, 'port'],
      [9464, 'metrics_port'],
    ] as const)
      assert.equal(
        messageOf({ file: lookingUpAt(port) }),
        `freeswitch.lookup_port is ${port}, and so is ${name}; set freeswitch.lookup_port to a free port, and gateway-url of xml_curl.conf in the configuration of FreeSWITCH to the same port.`,
      )
  })
})

test('the folder of records that FreeSWITCH could not post is not followed by a feed as well', () => {
  const feeds = [{ format: 'freeswitch-json', path: '/var/lib/freeswitch/trunkline-cdr/' }]
  const freeswitch = { token: TOKEN, cdr_folder: '/var/lib/freeswitch/trunkline-cdr' }
  assert.match(
    messageOf({ file: fileWith({ feeds, freeswitch }) }),
    /^feeds\[0\]\.path is that of freeswitch\.cdr_folder, /,
  )
})

describe('the setting of Asterisk', () => {
  test('that is wrong is named by its member, and no secret of it is shown', () => {
    for (const [asterisk, says] of [
      [{}, /^asterisk\.dir in .* is missing: it must be the path of the folder /],
      [{ dir: 'a', folder: 'b' }, /^asterisk\.folder in .* is not known; the members are dir, manager, cdr_file/],
      [{ dir: 'a', manager: { port: 0 } }, /^asterisk\.manager\.port in .* must be an integer .*, not 0/],
      [{ dir: 'a', manager: { password: 'two words' } }, /^asterisk\.manager\.password in .* blanks\.$/],
    ] as const) {
      const message = messageOf({ file: fileWith({ asterisk }) })
      assert.match(message, says)
      assert.doesNotMatch(message, /two words/)
    }
  })

  test('has its call records followed five times a second, unless a feed of theirs says otherwise', () => {
    const asterisk = { dir: 'a', cdr_file: '/log/Master.csv' }
    const { settings } = load({ file: fileWith({ asterisk }) })
    assert.deepEqual(settings.feeds, [{ format: 'asterisk-csv', path: '/log/Master.csv', timezone: 'UTC', every: 0.2 }])
    const db = 'postgres://trunkline@db.example.com/trunkline'
    const named = load({ file: fileWith({ asterisk, db }) }).settings.feeds
    assert.deepEqual(named.map(nameOf), [`/log/Master.csv on ${hostname()}`], 'other machines have other files')
    const feeds = [{ format: 'asterisk-csv', path: '/log/Master.csv', timezone: 'Europe/Kyiv' }]
    assert.deepEqual(load({ file: fileWith({ asterisk, feeds }) }).settings.feeds, feeds)
    const kept = feeds.map(feed => ({ ...feed, name: 'pbx-2' }))
    const { settings: onServer } = load({ file: fileWith({ asterisk, db, feeds: kept }) })
    assert.deepEqual(onServer.feeds.map(nameOf), ['pbx-2'], 'whatever the host is called')
    const elsewhere = { ...asterisk, cdr_file: '/log/../log/Master.csv' }
    assert.deepEqual(load({ file: fileWith({ asterisk: elsewhere, feeds }) }).settings.feeds, feeds, 'the same file')
  })
})
