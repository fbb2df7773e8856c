import type { Logger } from 'pino'
import { type HttpOptions, httpApp } from './app.ts'
import { readConsole } from './console/read-files.ts'
import { createMetrics, type HttpMetrics, serveMetrics } from './metrics.ts'
import { noting } from './noting.ts'
import { type Address, type ListeningServer, limitsBehind, listen } from './server.ts'

export type Metrics = ReturnType<typeof createMetrics>
export type RunningServer = Awaited<ReturnType<typeof serveMetrics>>
export type ConsoleTools = HttpOptions['tools']

/** Listens at once, logs and counts what is refused there, and answers once its `serve` is given an application. */
const listening = (
  address: Address,
  trustedProxies: number,
  log: Logger,
  metrics: HttpMetrics,
): Promise<ListeningServer> => listen(address, limitsBehind(trustedProxies), noting(log, metrics))

/** Everything that the programs use of this adapter. */
export const http = { app: httpApp, listen: listening, metrics: createMetrics, serveMetrics, readConsole }
