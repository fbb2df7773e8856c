import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { resourceNamed } from '../../../../core/resources/all.ts'
import { buildImportProgram } from '../../../support/cli/import-program.ts'
import { type Desk, openDesk } from '../../../support/cli/imports.ts'
import { sampleBody } from '../../../support/data/samples.ts'
import { temporaryFolder } from '../../../support/http/app.ts'
import { keepSending } from '../../../support/messaging/messages.ts'

const HEADER = 'caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds,cost,started_at'
const KILLS = 20

let programs: ReturnType<typeof temporaryFolder>
let program: string
let desk: Desk

before(() => {
  programs = temporaryFolder()
  program = buildImportProgram(programs.path)
})
after(() => programs.remove())

beforeEach(async () => {
  desk = await openDesk()
  await desk.create('tenants', { slug: 'acme' })
})
afterEach(() => desk.close())

/** Starts an import as a separate process; `stores` as in test/support/cli/import-process.ts. */
function start(to: Desk, resource: string, file: string, stores: number, ...flags: string[]) {
  const args = [program, to.path, resource, file, String(stores), '--tenant', 'acme', ...flags]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let problem = ''
  child.stderr.on('data', chunk => {
    problem += String(chunk)
  })
  return { child, problem: () => problem, over: once(child, 'close') }
}

/** Kills an import during or after the given store, unless it ends before. Returns whether it was killed. */
async function killIn(store: number, started: ReturnType<typeof start>): Promise<boolean> {
  const { child } = started
  let text = ''
  child.stdout.on('data', chunk => {
    text += String(chunk)
    if (text.includes(`store ${store}\n`)) child.kill('SIGKILL')
  })
  await started.over
  if (child.signalCode === null) assert.ok(child.exitCode === 0 || child.exitCode === 65, started.problem())
  return child.signalCode === 'SIGKILL'
}

async function whole({ child, over, problem }: ReturnType<typeof start>): Promise<number> {
  child.stdout.resume()
  await over
  assert.equal((child satisfies ChildProcess).signalCode, null, problem())
  return child.exitCode ?? -1
}

function callFile(count: number): string {
  const file = join(programs.path, `calls-${count}.csv`)
  const rows = Array.from({ length: count }, (_, i) => {
    const cost = i % 997 === 3 ? 'bad' : (i / 10_000).toFixed(4)
    return `${i},"é ${i}",outbound,BUSY,${i % 60},0,${cost},2026-01-01 10:${String(i % 60).padStart(2, '0')}:00\n`
  })
  writeFileSync(file, `${HEADER}\n${rows.join('')}`)
  return file
}

/** More kills than this would take too long, with the batch size of an import alone on its database. */
const ROWS = 130_000

const CALLS = `SELECT id, tenant_id, ${HEADER} FROM cdrs ORDER BY id`

describe('an import that is killed', () => {
  it('twenty times and resumed each time ends exactly as one that was not', async () => {
    const file = callFile(ROWS)
    const [here, there] = [join(programs.path, 'killed.csv'), join(programs.path, 'whole.csv')]
    let kills = 0
    for (let session = 0; kills < KILLS; session++) {
      const stores = 1 + (session % 2)
      const flags = ['--resume', '--on-error', 'continue', '--reject-file', here]
      if (!(await killIn(stores, start(desk, 'cdrs', file, stores, ...flags)))) break
      kills++
    }
    assert.equal(kills, KILLS)
    const partial = await desk.query('SELECT count(*) FROM cdrs')
    assert.ok(Number(partial[0]) > 0 && Number(partial[0]) < ROWS - 1_000, String(partial[0]))
    await whole(start(desk, 'cdrs', file, 0, '--resume', '--on-error', 'continue', '--reject-file', here))
    const other = await openDesk()
    try {
      await other.create('tenants', { slug: 'acme' })
      await whole(start(other, 'cdrs', file, 0, '--on-error', 'continue', '--reject-file', there))
      assert.deepEqual(await desk.query(CALLS), await other.query(CALLS))
      assert.equal((await desk.query(CALLS)).length, ROWS - Math.ceil((ROWS - 3) / 997))
      assert.equal(readFileSync(here, 'utf8'), readFileSync(there, 'utf8'))
    } finally {
      await other.close()
    }
  })

  it('leaves all of a deck or none of it', async () => {
    const file = join(programs.path, 'deck.csv')
    const rows = Array.from({ length: 20_000 }, (_, i) => `${i},x,1,60,active\n`)
    writeFileSync(file, `prefix,destination,cost_per_minute,billing_increment,status\n${rows.join('')}`)
    for (let i = 0; i < 4; i++) {
      await killIn(1, start(desk, 'rates', file, 1, '--mode', 'skip'))
      assert.ok(['0', '20000'].includes((await desk.query('SELECT count(*) FROM rates'))[0] ?? ''))
    }
    assert.equal(await whole(start(desk, 'rates', file, 0, '--mode', 'skip')), 0)
    assert.deepEqual(await desk.query('SELECT count(*) FROM rates'), ['20000'])
    assert.equal(existsSync(`${desk.path}-journal`), false)
  })
})

describe('an import beside another process', () => {
  for (const [resource, file] of [
    ['cdrs', () => callFile(30_000)],
    ['rates', () => join(programs.path, 'deck.csv')],
  ] as const)
    it(`of ${resource} that writes records and receipts loses nothing and refuses nothing`, async () => {
      const { administration, messages } = desk.services
      await desk.create('sms_gateways')
      await keepSending(messages, 1)
      const importing = start(desk, resource, file(), 0, '--on-error', 'continue')
      importing.child.stdout.resume()
      let isOver = false
      importing.over.then(() => {
        isOver = true
      })
      let written = 0
      while (!isOver) {
        const receipt = {
          externalId: `id-${written}`,
          reference: null,
          status: 'delivered',
          payload: { written },
          size: 20,
        }
        await Promise.all([
          administration.create(resourceNamed('dids'), { ...sampleBody(resourceNamed('dids')), tenant_id: 1 }),
          messages.receive(1, receipt, message => message, '192.0.2.1'),
        ])
        written++
      }
      assert.ok([0, 65].includes(importing.child.exitCode ?? -1), importing.problem())
      assert.ok(written > 10)
      assert.deepEqual(await desk.query('SELECT count(*) FROM dids'), [String(written)])
      const [parked] = await desk.query('SELECT count(*) FROM parked_receipts')
      if (written <= 1_000) assert.equal(Number(parked), written)
      else assert.ok(Number(parked) > 700, parked)
      assert.deepEqual(await desk.query(`SELECT count(*) FROM ${resource}`), [resource === 'cdrs' ? '29969' : '20000'])
    })
})
