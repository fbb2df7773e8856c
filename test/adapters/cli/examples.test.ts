import assert from 'node:assert/strict'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Command } from 'commander'
import { commands } from '../../../adapters/cli/commands.ts'
import { wiringFor } from '../../../bin/command-line.ts'
import { furnish, type Workplace, workplace } from '../../support/cli.ts'
import { type FakeGateway, startGateway } from '../../support/gateway.ts'

/** What a command may end with besides 0, its example being right. */
const ALSO: Readonly<Record<string, readonly number[]>> = {
  // There is no daemon here.
  doctor: [1],
}

/** Run by tests of their own: the daemon, which does not end, and what has no sample file here. */
const ELSEWHERE = /^(serve|\S+ (import|export)|cdr (ingest|quarantine|rerate)|audit|report|rate (check|quote))\b/

const leaves = (command: Command, path: string): [path: string, command: Command][] =>
  command.commands.length === 0
    ? [[path, command]]
    : command.commands.flatMap(sub => leaves(sub, `${path} ${sub.name()}`))

const all: [string, Command][] = []
for (const { name, load } of commands) all.push(...leaves(await load(given => given, wiringFor({})), name))

let place: Workplace
let gateway: FakeGateway
const here = process.cwd()
before(async () => {
  place = workplace()
  await furnish(place)
  gateway = await startGateway()
  await place.done(`trunkline gateway update Jasmin --server-port ${gateway.port}`)
  await place.done('trunkline sms send --gateway Jasmin --to +380501234567 --from ACME --message Hello --quiet')
  await place.done(`trunkline db backup ${place.path('furnished.db')}`)
  writeFileSync(place.path('secret.txt'), 'kW3-9fQm-Zt81\n')
  process.chdir(place.folder)
})
after(async () => {
  process.chdir(here)
  await gateway.close()
  place.remove()
})

/** What an example needs to be gone or to be there first. */
async function prepare(path: string): Promise<void> {
  for (const name of ['trunkline.db', 'trunkline.db-wal', 'trunkline.db-shm', 'trunkline-backup.db'])
    rmSync(place.path(name), { force: true })
  if (path !== 'init') copyFileSync(place.path('furnished.db'), place.db)
  if (path === 'db restore') copyFileSync(place.path('furnished.db'), place.path('trunkline-backup.db'))
  if (!/ (create|add)$/.test(path) || path === 'admin create') return
  // The furniture stands where the example would put the same.
  const [name = ''] = path.split(' ')
  if (name === 'tenant') await place.done('trunkline tenant delete acme --yes --cascade')
  else await place.done(`trunkline ${name} ${path.endsWith('add') ? 'remove' : 'delete'} 1 --yes`)
}

describe('the example in the help', () => {
  for (const [path] of all) {
    if (ELSEWHERE.test(path)) continue
    it(`works as it stands: ${path}`, async () => {
      const help = await place.done(`trunkline ${path} --help`)
      const [, examples = ''] = help.split(/^Examples?:\n/m)
      const lines = examples
        .split('\n')
        .map(line => line.trim())
        .filter(line => line !== '')
      assert.ok(lines.length > 0, 'there is none')
      for (const line of lines) {
        await prepare(path)
        assert.ok(line.startsWith(`trunkline ${path}`), line)
        const { code, stderr } = await place.run(line)
        assert.ok(code === 0 || ALSO[path]?.includes(code), `${line} ended with ${code}: ${stderr}`)
      }
    })
  }
})
