import { Command } from 'commander'
import { formatTimestamp } from '../../../../core/dates.ts'
import { AppError } from '../../../../core/errors.ts'
import type { TelephoneSwitch } from '../../../../core/ports/switching.ts'
import { type Context, say } from '../../context.ts'
import { daemonMetrics, switchMetric } from '../../daemon-metrics.ts'
import { EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import { type RunCommand, takesFields, type Wiring } from '../../program.ts'
import { printRows } from '../../terminal/output.ts'
import { switchesSet } from './switches-set.ts'

const COLUMNS = {
  switch: 'text',
  state: 'text',
  phones: 'integer',
  calls: 'integer',
  daemon: 'text',
  reconciled_at: 'date',
  reloads_pending: 'integer',
  records_waiting: 'integer',
} as const

/** Shows the state of each switch, and how far the daemon has brought it. */
export function statusCommand(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('status').description(
    'whether each switch is up and follows the database, with its telephones, calls and waiting records',
  )
  example(command, 'trunkline switch status')
  return run(takesFields(command), async context => {
    const switches = await switchesSet(context, wiring)
    const metrics = await daemonMetrics(wiring.settings(context.options).values)
    const rows = await Promise.all(switches.map(each => rowOf(context, each, metrics)))
    if (metrics === null)
      say(context, 'trunklined is stopped, or the setting metrics_port is 0: how far it has come is not known')
    await printRows(context, COLUMNS, rows)
    return rows.every(({ state, daemon }) => state === 'up' && daemon !== 'disconnected') ? EXIT.ok : EXIT.unavailable
  })
}

async function rowOf(context: Context, each: TelephoneSwitch, metrics: string | null) {
  const { kind } = each
  const [phones, calls] = await Promise.allSettled([each.phones(), each.calls()])
  const troubles = [phones, calls].flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : []))
  for (const trouble of troubles) if (!(trouble instanceof AppError)) throw trouble
  for (const message of new Set(troubles.map(({ message }) => message))) say(context, message)
  const measured = (name: string): number | null => switchMetric(metrics, kind, name)
  const [isConnected, reconciledAt] = [measured('connected'), measured('reconciled_timestamp_seconds')]
  return {
    switch: kind,
    state: phones.status === 'fulfilled' && calls.status === 'fulfilled' ? 'up' : 'away',
    phones: phones.status === 'fulfilled' ? phones.value.length : null,
    calls: calls.status === 'fulfilled' ? calls.value.length : null,
    daemon: isConnected === null ? null : isConnected === 1 ? 'connected' : 'disconnected',
    reconciled_at: reconciledAt === null ? null : formatTimestamp(Math.floor(reconciledAt) * 1000, 0),
    reloads_pending: measured('reloads_pending'),
    records_waiting: await each.recordsWaiting(),
  }
}
