import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import {
  callIds,
  furnish,
  outcomeOf,
  type Ran,
  type RunOptions,
  spawnProgram,
  unbuilt,
  type Workplace,
  wordsOf,
  workplace,
} from '../../support/cli/cli.ts'
import { allCommands, examplesOf } from '../../support/cli/commands.ts'
import { aCall, aPhone, heldSwitch } from '../../support/cli/switches.ts'
import { type Refill, snapshotOf } from '../../support/data/content.ts'
import { asteriskRow } from '../../support/data/switch.ts'
import { type FakeGateway, startGateway } from '../../support/messaging/gateway.ts'
import { allowDumps, noDumps, onPostgres } from '../../support/storages.ts'

/** The codes besides 0 that a command with a correct example may end with. */
const ALSO: Readonly<Record<string, readonly number[]>> = {
  // There is no daemon here.
  doctor: [1],
  'switch check': [1],
}

const all = await allCommands()
/** Nothing is wrong with the switch, which has the call of the examples. */
const SWITCHED: RunOptions = {
  wiring: given => ({ ...given, switches: async () => [heldSwitch({ phones: [aPhone], calls: [aCall] }).held] }),
}

let place: Workplace
let gateway: FakeGateway
/** Makes the database empty, as for a first start, or what it was once all had been prepared. */
let [blank, refill]: Refill[] = []
let call: number | undefined
const here = process.cwd()
before(async () => {
  place = workplace()
  await place.ready
  await allowDumps(place.folder)
  if (onPostgres) blank = await snapshotOf(place.db)
  await furnish(place)
  // The only account is neither disabled nor deleted.
  await place.done('trunkline admin create other@example.com --random-password')
  gateway = await startGateway()
  await place.done(`trunkline gateway update Jasmin --server-port ${gateway.port}`)
  await place.done('trunkline sms send --gateway Jasmin --to +380501234567 --from ACME --message Hello --quiet')
  // A message that failed, to be sent again, and a route.
  gateway.answerWith(503, '{}')
  await place.run('trunkline sms send --gateway Jasmin --to +380501234567 --from ACME --message Hello --quiet')
  gateway.answerWith(200, '{"id":"gw-2"}')
  await place.done('trunkline sms route set Jasmin --prefix 49')
  await place.done('trunkline trunk route set carrier-one')
  process.chdir(place.folder)
  writeFileSync('secret.txt', 'kW3-9fQm-Zt81\n')
  writeFileSync('Master.csv', asteriskRow())
  // A call waits in quarantine for its tenant to get the slug that it names.
  await place.done('trunkline tenant update acme --slug later')
  await place.done('trunkline cdr ingest Master.csv --quiet')
  await place.done('trunkline tenant update later --slug acme')
  await place.done('trunkline rate export --out rates.csv')
  await place.done('trunkline rate import rates.csv --tenant acme --mode replace --effective 2090-01-01 --yes --quiet')
  rmSync('rates.csv')
  if (!noDumps) await place.done('trunkline db backup furnished.db')
  ;[call] = await callIds(place)
  refill = await snapshotOf(place.db)
})
after(async () => {
  process.chdir(here)
  await gateway.close()
  place.remove()
})

/** What must be deleted or created before an example runs. */
async function prepare(path: string): Promise<void> {
  for (const name of ['trunkline.db', 'trunkline.db-wal', 'trunkline.db-shm', 'trunkline-backup.db'])
    rmSync(name, { force: true })
  if (path.endsWith(' export') || path.endsWith(' import'))
    for (const file of readdirSync('.').filter(name => name.endsWith('.csv') && name !== 'Master.csv')) rmSync(file)
  await (path === 'init' ? blank : refill)?.(place.db)
  if (path === 'db restore') copyFileSync('furnished.db', 'trunkline-backup.db')
  const [name = '', verb = ''] = path.split(' ')
  if (verb === 'import') for (const line of await examplesOf(place, `${name} export`)) await place.done(line)
  if (!['create', 'add', 'import'].includes(verb) || path === 'admin create') return
  // The prepared records occupy the names that the example would create.
  if (name === 'tenant') await place.done('trunkline tenant delete acme --yes --cascade')
  else if (name === 'cdr') for (const id of await callIds(place)) await place.done(`trunkline cdr delete ${id} --yes`)
  else
    await place.done(
      `trunkline ${name} ${all.some(([known]) => known === `${name} remove`) ? 'remove' : 'delete'} 1 --yes`,
    )
}

/** The daemon is a separate process, stopped once it listens. */
function served(line: string): Promise<Ran> {
  const child = spawnProgram(place, wordsOf(line).slice(1))
  child.stdout?.once('data', () => child.kill())
  return outcomeOf(child)
}

describe('the example in the help', () => {
  for (const [path] of all) {
    const needsDumps = path === 'db backup' || path === 'db restore'
    const skip = (path === 'serve' && unbuilt) || (needsDumps && noDumps)
    it(`works as it stands: ${path}`, { skip }, async () => {
      const lines = await examplesOf(place, path)
      assert.ok(lines.length > 0, 'there is none')
      for (const line of lines) {
        await prepare(path)
        assert.ok(line.startsWith(`trunkline ${path}`), line)
        // The ids of calls are others on a cluster.
        const own = line.replace(/(?<=^trunkline cdr \w+ )1(?!\S)/, `${call}`)
        const { code, stdout, stderr } = await (path === 'serve' ? served(line) : place.run(own, SWITCHED))
        assert.ok(code === 0 || ALSO[path]?.includes(code), `${line} ended with ${code}: ${stderr}`)
        if (path === 'serve') assert.match(stdout, /^trunklined listening on /)
      }
    })
  }
})
