import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { runDaemon, startDaemon } from '../support/daemon.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { trunkline } from '../support/programs.ts'

const folder = temporaryFolder()
after(folder.remove)

describe('a daemon that cannot start', () => {
  const refusals: [setting: string, value: string, wants: RegExp][] = [
    ['TRUNKLINE_PORT', 'eighty', /TRUNKLINE_PORT must be an integer from 0 to 65535, not "eighty"/],
    ['TRUNKLINE_PORT', '70000', /TRUNKLINE_PORT must be/],
    ['TRUNKLINE_BASE_URL', 'pbx.example.com', /TRUNKLINE_BASE_URL must be an http or https URL/],
    ['TRUNKLINE_SESSION_IDLE', '0', /TRUNKLINE_SESSION_IDLE must be a number of seconds above 0/],
    ['TRUNKLINE_GATEWAY_TIMEOUT', '-1', /TRUNKLINE_GATEWAY_TIMEOUT must be/],
    ['TRUNKLINE_LOG_LEVEL', 'loud', /TRUNKLINE_LOG_LEVEL must be debug, info, warn, error or silent/],
    ['TRUNKLINE_TRUSTED_PROXIES', '1.5', /TRUNKLINE_TRUSTED_PROXIES must be/],
    ['TRUNKLINE_ADMIN_EMAIL', 'nobody', /TRUNKLINE_ADMIN_EMAIL/],
  ]
  for (const [setting, value, wants] of refusals)
    it(`for ${setting} is ${value} ends with 78 and says what it wants`, async () => {
      const { code, stdout, stderr } = await runDaemon({
        TRUNKLINE_PORT: '0',
        TRUNKLINE_DB: join(folder.path, 'never.db'),
        [setting]: value,
      })
      assert.equal(code, 78, stderr)
      assert.match(stderr, wants)
      assert.doesNotMatch(stderr, /\n\s+at /)
      assert.equal(stdout, '')
    })

  it('for a flag or a file is wrong names it, the flag before the environment', async () => {
    const file = join(folder.path, 'settings.json')
    writeFileSync(file, '{"port":"x"}')
    const named = await runDaemon({ TRUNKLINE_DB: join(folder.path, 'never.db') }, '--config', file)
    assert.deepEqual([named.code, named.stderr.includes(`port in ${file}`)], [78, true])
    const flag = await runDaemon({ TRUNKLINE_DB: join(folder.path, 'never.db'), TRUNKLINE_PORT: '0' }, '--port', 'x')
    assert.deepEqual([flag.code, flag.stderr.includes('--port must be')], [78, true])
    const unknown = await runDaemon({}, '--prot', '1')
    assert.equal(unknown.code, 64)
    const missing = await runDaemon({}, '--config', join(folder.path, 'missing.json'))
    assert.equal(missing.code, 78)
  })

  it('for the port is taken ends with 78 and names the address', async () => {
    const daemon = await startDaemon({ TRUNKLINE_DB: join(folder.path, 'taken.db') })
    const { port } = new URL(daemon.url)
    const { code, stderr } = await runDaemon({ TRUNKLINE_DB: join(folder.path, 'never.db'), TRUNKLINE_PORT: port })
    assert.equal(code, 78)
    assert.match(
      stderr,
      new RegExp(`Cannot listen on 127\\.0\\.0\\.1:${port}: another program listens there.*\\(EADDRINUSE\\)`),
    )
    await daemon.stop()
  })

  it('for the database is not one of Trunkline ends with 74 and says so', async () => {
    const path = join(folder.path, 'foreign.db')
    writeFileSync(path, 'this is no database, whatever its name says')
    const { code, stderr } = await runDaemon({ TRUNKLINE_DB: path, TRUNKLINE_PORT: '0' })
    assert.equal(code, 74)
    assert.match(stderr, /not an SQLite database/)
  })

  it('for no database can be at its path ends with 73, as the command line does, and says why', async () => {
    const paths: [path: string, why: RegExp][] = [
      ['/dev/null/x/test.db', /a part of the path is not a folder \((?:ENOTDIR|EEXIST)\)/],
      [join(folder.path, 'x'.repeat(300)), /the name is too long \(ENAMETOOLONG\)/],
      ['/proc/none/test.db', /there can be no such folder \(ENOENT\)/],
    ]
    for (const [path, why] of paths) {
      const daemon = await runDaemon({ TRUNKLINE_DB: path, TRUNKLINE_PORT: '0' })
      const init = await trunkline(path, 'init', '--email', 'a@example.com', '--random-password')
      for (const { code, stderr } of [daemon, init]) {
        assert.equal(code, 73, stderr)
        assert.match(stderr, why)
        assert.match(stderr, /^hint: trunkline .*config show$/m)
      }
    }
  })
})
