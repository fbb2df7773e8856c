import { heldSwitch, PASSWORD } from '../../support/switching/event-socket.ts'
import { FULL_SIZE } from '../dataset.ts'
import { milliseconds, whole } from '../figures.ts'
import type { Bench } from '../rows/row.ts'
import { startDaemon } from '../servers.ts'
import type { Line } from '../table.ts'
import { domainOf, numberOf, settingsFor } from './world.ts'

/** As `sofia status profile internal reg` lists them: the extensions of the dataset, and as many deleted ones. */
const registrations = (): string =>
  Array.from({ length: FULL_SIZE.extensions }, (_, i) =>
    [
      `Call-ID:    ${i}@127.0.0.1`,
      `User:       ${numberOf(i)}@${domainOf(i)}`,
      'Contact:    <sip:phone@127.0.0.1:25561>',
      'Agent:      desk-phone/1',
      'Status:     Registered(UDP)(unknown) EXP(2026-11-22 12:00:00) EXPSECS(250)',
      'IP:         127.0.0.1',
      'Port:       25561',
      '',
    ].join('\n'),
  ).join('\n')

const ROUNDS = 3

/** From the start of the daemon until a switch matches it: every telephone, queue and gateway. */
export async function measureReconcile(bench: Bench): Promise<Line[]> {
  const phones = registrations()
  let agreed: (() => void) | null = null
  const held = await heldSwitch({
    answer: command => {
      if (command.endsWith('gwlist down')) agreed?.()
      if (command.endsWith('internal reg')) return phones
      return command.endsWith('json') ? '{"row_count":0}' : '+OK\n'
    },
  })
  const config = settingsFor(bench.folder, held.place.port, PASSWORD)
  const times: number[] = []
  let memory = 0
  for (let round = 0; round < ROUNDS; round++) {
    const done = new Promise<void>(resolve => {
      agreed = resolve
    })
    const began = performance.now()
    const daemon = await startDaemon(bench.program, bench.databases.ours, [], { TRUNKLINE_CONFIG: config })
    await done
    times.push(performance.now() - began)
    memory = Math.max(memory, daemon.residentMiB() ?? 0)
    await daemon.stop()
  }
  await held.close()
  const most = Math.max(...times)
  return [
    {
      what: `start of the daemon until a switch with ${whole(FULL_SIZE.extensions)} telephones agrees`,
      ...{ baseline: '', ours: `${milliseconds(most)}, ${Math.round(memory)} MiB`, ratio: '', goal: '< 10 s' },
      met: most < 10_000,
    },
  ]
}
