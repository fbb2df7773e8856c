import Koa from 'koa'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Messages, Receive } from '../../core/ports/messaging/messages.ts'
import type { Messaging } from '../../core/use-cases/messaging/messaging.ts'
import { VERSION } from '../../core/version.ts'
import type { Cut } from './clients/connections.ts'
import { type RunningServer, serve } from './server.ts'

export type LoginResult = 'accepted' | 'refused' | 'throttled' | 'failed'

/** Metrics of the API. */
export interface HttpMetrics {
  /** `route` is the pattern that was served, null for none; `resource` replaces its `:resource`. */
  request(method: string, route: string | null, resource: string | undefined, status: number, seconds: number): void
  login(result: LoginResult): void
  /** Counts a request that was refused before it was read. */
  refusal(status: number): void
  cut(reason: Cut): void
}

/** A value, or one for each set of labels. */
export type Measured = number | readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]

export interface Metrics extends HttpMetrics {
  /** Called after each group of changes is written. */
  onCommit(changes: number, milliseconds: number): void
  /** Wraps the port to count sends and receipts. */
  messages(port: Messages): Messages
  /** Wraps the use cases to count receipts that lack their token or cannot be read. */
  messaging(useCases: Messaging): Messaging
  /** Adds a value that is computed on request; `labels` are the names of its labels. */
  gauge(name: string, help: string, collect: () => Measured | Promise<Measured>, labels?: readonly string[]): void
  /**
   * Adds a counter, and returns a function that adds one for values of those labels. The series named by `expected`
   * exist from the start, with 0.
   */
  counter<L extends string>(
    name: string,
    help: string,
    labels: readonly L[],
    expected?: readonly Readonly<Record<L, string>>[],
  ): (of: Readonly<Record<L, string>>) => void
  /** Returns everything in Prometheus' text format. */
  text(): Promise<string>
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const GROUP_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500]

/** Methods counted by name. A client may send any other without a route, and must not create endless series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'trunkline_build_info',
    help: 'Always 1; what runs is in its labels',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: VERSION, node: process.versions.node }, 1)
  return {
    ...httpMetrics(registers),
    ...messagingMetrics(registers),
    onCommit: commits(registers),
    gauge: (name, help, collect, labels = []) => {
      const gauge = new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers,
        collect: async () => {
          const measured = await collect()
          gauge.reset()
          if (typeof measured === 'number') gauge.set(measured)
          else for (const { labels: of, value } of measured) gauge.set({ ...of }, value)
        },
      })
    },
    counter: (name, help, labels, expected = []) => {
      const counter = new Counter({ name, help, labelNames: [...labels], registers })
      for (const of of expected) counter.inc({ ...of }, 0)
      return of => counter.inc({ ...of })
    },
    text: () => registry.metrics(),
  }
}

function httpMetrics(registers: Registry[]): HttpMetrics {
  const durations = new Histogram({
    name: 'trunkline_http_request_duration_seconds',
    help: 'From the first byte of a request to the last of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  })
  const logins = new Counter({
    name: 'trunkline_logins_total',
    help: 'Logins that were tried',
    labelNames: ['result'],
    registers,
  })
  const refusals = new Counter({
    name: 'trunkline_http_refusals_total',
    help: 'Requests that were refused before they were read, and are not among the others',
    labelNames: ['status'],
    registers,
  })
  const cuts = new Counter({
    name: 'trunkline_http_connections_cut_total',
    help: 'Connections that were cut: crowded (to make room for others), full (no room), idle, stalled or pipelined',
    labelNames: ['reason'],
    registers,
  })
  return {
    request: (method, route, resource, status, seconds) => {
      const label = route === null ? 'none' : resource === undefined ? route : route.replace(':resource', resource)
      durations.observe({ method: METHODS.has(method) ? method : 'other', route: label, status }, seconds)
    },
    login: result => logins.inc({ result }),
    refusal: status => refusals.inc({ status }),
    cut: reason => cuts.inc({ reason }),
  }
}

function messagingMetrics(registers: Registry[]): Pick<Metrics, 'messages' | 'messaging'> {
  const labelNames = ['gateway', 'result'] as const
  const sends = new Counter({
    name: 'trunkline_sms_sends_total',
    help: 'Messages handed to a gateway, by outcome',
    labelNames,
    registers,
  })
  const receipts = new Counter({
    name: 'trunkline_sms_receipts_total',
    help: 'Delivery receipts of known gateways: matched, parked until their message is known, refused, unreadable, or by a wrong method',
    labelNames,
    registers,
  })
  const outcomes = new Counter({
    name: 'trunkline_sms_outcomes_total',
    help: 'Messages by what a receipt made of them: delivered, failed, pending, unknown',
    labelNames: ['gateway', 'class'],
    registers,
  })
  return {
    messages: port => ({
      ...port,
      settle: settling(port, sends),
      receive: async (gateway, receipt, receive, ...rest) => {
        const result = await port.receive(gateway, receipt, counting(receive, outcomes), ...rest)
        if (result !== 'ignored') receipts.inc({ gateway, result })
        return result
      },
    }),
    messaging: useCases => ({
      ...useCases,
      receipt: async (gateway, incoming) => {
        const outcome = await useCases.receipt(gateway, incoming)
        if (outcome.result !== 'received' && gateway !== null) receipts.inc({ gateway, result: outcome.result })
        return outcome
      },
      misdirected: async gateway => {
        const isKnown = await useCases.misdirected(gateway)
        if (isKnown && gateway !== null) receipts.inc({ gateway, result: 'wrong_method' })
        return isKnown
      },
    }),
  }
}

/** Counts the outcome of receipts, and each message whose status changes its meaning. */
const counting =
  (receive: Receive, outcomes: Counter<'gateway' | 'class'>): Receive =>
  (message, receipt) => {
    const received = receive(message, receipt)
    const { sms_gateway_id: gateway, status_class } = received
    if (status_class !== null && status_class !== message.status_class) outcomes.inc({ gateway, class: status_class })
    return received
  }

/** Wraps the port's `settle` to count the outcome of each message. */
const settling =
  (port: Messages, sends: Counter<'gateway' | 'result'>): Messages['settle'] =>
  async (id, change, receive) => {
    let settled = { gateway: 0, result: 'lost' }
    const counted: typeof change = message => {
      const changed = change(message)
      settled = { gateway: changed.sms_gateway_id, result: changed.submitted_at === null ? 'failed' : 'submitted' }
      return changed
    }
    const view = await port.settle(id, counted, receive)
    sends.inc(settled)
    return view
  }

function commits(registers: Registry[]): Metrics['onCommit'] {
  const sizes = new Histogram({
    name: 'trunkline_database_group_size',
    help: 'Changes that were written in one transaction',
    buckets: GROUP_SIZES,
    registers,
  })
  const busy = new Counter({
    name: 'trunkline_database_write_seconds_total',
    help: 'Time spent writing and syncing, during which nothing else runs',
    registers,
  })
  return (changes, milliseconds) => {
    sizes.observe(changes)
    busy.inc(milliseconds / 1000)
  }
}

/** A page whose own host name leads here, to read what is for this machine only, sends that name. */
const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** Serves /metrics to this machine only. Throws `configuration` if the port is not available. */
export function serveMetrics(metrics: Pick<Metrics, 'text'>, port: number): Promise<RunningServer> {
  const app = new Koa()
  app.use(async ctx => {
    if (!LOCAL_HOST.test(ctx.get('host'))) ctx.throw(403, 'Ask for localhost or 127.0.0.1.')
    if (ctx.path !== '/metrics') return
    ctx.type = Registry.PROMETHEUS_CONTENT_TYPE
    ctx.body = await metrics.text()
  })
  return serve(() => app, { host: '127.0.0.1', port, setting: 'TRUNKLINE_METRICS_PORT' })
}
