import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import {
  furnish,
  outcomeOf,
  type Ran,
  runShell,
  spawnProgram,
  unbuilt,
  type Workplace,
  workplace,
} from '../../support/cli/cli.ts'
import { changed, hold } from '../../support/data/reader.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

const rate = (n: number): string[] => [
  ...['rate', 'create', '--tenant', 'acme', '--prefix', `9${n}`, '--destination', `D${n}`],
  ...['--cost-per-minute', '0.1', '--billing-increment', '1', '--status', 'active'],
]

/** A program that waits, while the others run, for a database that is held. */
async function waiting(): Promise<{ readonly up: Promise<Ran>; end(): Promise<void> }> {
  const held = workplace()
  await furnish(held)
  const release = await hold(held.db)
  const line = ['tenant', 'update', 'acme', '--status', 'active']
  return {
    up: outcomeOf(spawnProgram(held, line, { stdio: ['ignore', 'pipe', 'pipe'] })),
    end: async () => {
      await release()
      held.remove()
    },
  }
}

describe('the program', { skip: unbuilt, timeout: 120_000 }, () => {
  let given: Awaited<ReturnType<typeof waiting>>
  before(async () => {
    given = await waiting()
  })
  after(() => given.end())

  it('prints data on standard output and everything else on standard error', async () => {
    assert.deepEqual(
      await runShell(place, 'trunkline tenant update acme --max-extensions 11 -o csv --fields max_extensions'),
      {
        code: 0,
        signal: null,
        stdout: 'max_extensions\n11\n',
        stderr: 'Tenant updated.\n',
      },
    )
  })

  it('ends quietly when its reader has had enough', async () => {
    const now = '2026-01-01T00:00:00.000000Z'
    await changed(
      place.db,
      `INSERT INTO rates (tenant_id, prefix, destination, cost_per_minute, billing_increment, status, created_at, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999)
       SELECT 1, '8' || i, 'Somewhere far away', 1, 1, 'active', '${now}', '${now}' FROM n`,
    )
    for (const form of ['table', 'json', 'ndjson', 'csv']) {
      const { code, stdout, stderr } = await runShell(place, `trunkline rate list -o ${form} | head -n 1`)
      assert.deepEqual([code, stderr, stdout.split('\n').length], [0, '', 2], form)
    }
  })

  it('ends with 74 when its output cannot be written', async () => {
    const { code, stderr } = await runShell(place, 'trunkline tenant list > /dev/full')
    assert.deepEqual([code, stderr], [74, 'error: the output cannot be written (ENOSPC)\n'])
  })

  it('reads a pipe that is given as a file: /dev/stdin, a FIFO, what a shell substitutes', async () => {
    const deck = (prefix: number): string =>
      `printf 'prefix,destination,cost_per_minute,billing_increment,status\\n${prefix},x,1,1,active\\n'`
    const call = (id: number): string =>
      `printf '{"id":"${id}","destination_number":"49","started_at":"2026-10-01 12:00:00","answered_seconds":9,"accountcode":"acme"}\\n'`
    for (const line of [
      `${deck(701)} | trunkline rate import /dev/stdin --tenant acme`,
      `trunkline rate import <(${deck(702)}) --tenant acme`,
      `mkfifo deck; ${deck(703)} > deck & trunkline rate import deck --tenant acme`,
      `${call(701)} | trunkline cdr ingest /dev/stdin`,
      `trunkline cdr ingest <(${call(702)})`,
    ]) {
      const { code, stdout, stderr } = await runShell(place, line)
      assert.equal(code, 0, stderr)
      assert.match(stdout + stderr, /1 created|stored {6}1\n/)
    }
  })

  it('does not wait for the writer of a pipe once it has read enough', async () => {
    const pipe = place.path('pipe')
    spawnSync('mkfifo', [pipe])
    const child = spawnProgram(place, ['rate', 'import', pipe, '--tenant', 'acme'])
    const writer = await open(pipe, 'w')
    await writer.write(`colour\n${'red\n'.repeat(100_000)}`)
    const { code, stderr } = await outcomeOf(child)
    await writer.close()
    assert.equal(code, 65, stderr)
  })

  it('reads secrets from a file', async () => {
    writeFileSync(place.path('secret.txt'), 'from a file\n')
    const { code } = await runShell(place, 'trunkline extension update acme/101 --secret-file secret.txt')
    assert.equal(code, 0)
    assert.equal((await place.json('trunkline extension show acme/101 --show-secrets')).secret, 'from a file')
  })

  it('asks nothing when standard input is not a terminal', async () => {
    const { code, stderr } = await runShell(place, 'trunkline admin create zoe@example.com')
    assert.equal(code, 64)
    assert.match(stderr, /^error: there is no password/)
  })

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    it(`ended by ${signal} while it sends ends with ${code}, and says that it is not known whether the message went out`, async () => {
      const held = createServer()
      await new Promise<void>(resolve => held.listen(0, '127.0.0.1', resolve))
      const { port } = held.address() as AddressInfo
      try {
        await place.done(`trunkline gateway update Jasmin --server-port ${port}`)
        const child = spawnProgram(
          place,
          ['sms', 'send', '--gateway', 'Jasmin', '--to', '+380501234567', '--from', 'ACME', '--message', 'Hello'],
          { stdio: ['ignore', 'pipe', 'pipe'] },
        )
        const outcome = outcomeOf(child)
        await new Promise<void>(resolve => held.once('request', () => resolve()))
        child.kill(signal)
        const { code: ended, stderr } = await outcome
        assert.equal(ended, code)
        assert.match(
          stderr,
          /\nerror: interrupted: whether the message went out is not known\nhint: .*sms list --limit 1\n$/,
        )
      } finally {
        held.closeAllConnections()
        held.close()
      }
    })

  it('works on a database while several others write to it', async () => {
    const runs = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        outcomeOf(spawnProgram(place, rate(n), { stdio: ['ignore', 'pipe', 'pipe'] })),
      ),
    )
    assert.deepEqual(
      runs.map(({ code }) => code),
      [0, 0, 0, 0, 0, 0],
    )
    const found = await place.json('trunkline rate list --search D --fields destination')
    assert.equal(found.filter(({ destination }: { destination: string }) => /^D\d$/.test(destination)).length, 6)
  })

  it('serves in the foreground until it is stopped', async () => {
    const child = spawnProgram(place, ['serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] })
    const outcome = outcomeOf(child)
    const line = await new Promise<string>(resolve => child.stdout?.once('data', data => resolve(String(data))))
    const url = /listening on (\S+)/.exec(line)?.[1]
    assert.ok(url, line)
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    child.kill('SIGTERM')
    assert.equal((await outcome).code, 0)
  })

  it('prints its version without loading anything else', async () => {
    const { stdout } = await runShell(place, 'trunkline --version')
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    assert.equal(stdout, `${version}\n`)
  })

  it('gives up with 75 on a database that is held for too long', async () => {
    const { code, stderr } = await given.up
    assert.deepEqual([code, stderr], [75, 'error: The database is busy; try again in a moment.\n'])
  })
})
