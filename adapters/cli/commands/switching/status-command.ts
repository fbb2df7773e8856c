import { Command } from 'commander'
import { formatTimestamp } from '../../../../core/dates.ts'
import { AppError } from '../../../../core/errors.ts'
import type { TelephoneSwitch } from '../../../../core/ports/switching.ts'
import { type Context, say } from '../../context.ts'
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
    const metrics = await metricsOf(wiring, context)
    const rows = await Promise.all(switches.map(each => rowOf(context, each, metrics)))
    if (metrics === null)
      say(context, 'trunklined tells nothing of its work: it is stopped, or the setting metrics_port is 0')
    await printRows(context, COLUMNS, rows)
    return rows.every(({ state, daemon }) => state === 'up' && daemon !== 'disconnected') ? EXIT.ok : EXIT.unavailable
  })
}

async function rowOf(context: Context, each: TelephoneSwitch, metrics: string | null) {
  const { kind } = each
  const [phones, calls] = await Promise.allSettled([each.phones(), each.calls()])
  for (const { reason } of [phones, calls].filter(answer => answer.status === 'rejected')) {
    if (!(reason instanceof AppError)) throw reason
    say(context, reason.message)
  }
  const measured = (name: string): number | null => valueIn(metrics, `trunkline_switch_${name}{switch="${kind}"}`)
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

const ANSWERS_WITHIN_MS = 2_000

/** Returns what the daemon measures; null if it does not answer. */
async function metricsOf(wiring: Wiring, context: Context): Promise<string | null> {
  const port = Number(wiring.settings(context.options).values['metrics_port'])
  if (port === 0) return null
  const url = `http://127.0.0.1:${port}/metrics`
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) }).catch(() => null)
  return response?.ok ? response.text() : null
}

/** Returns the value of a series in Prometheus' text format; null if it is not there. */
function valueIn(metrics: string | null, series: string): number | null {
  const line = metrics?.split('\n').find(each => each.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length + 1))
}
