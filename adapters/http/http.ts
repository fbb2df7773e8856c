import type Koa from 'koa'
import type { Logger } from 'pino'
import { type HttpOptions, httpApp } from './app.ts'
import { readConsole } from './console/read-files.ts'
import { createMetrics, type HttpMetrics, serveMetrics } from './metrics.ts'
import { mountedApp } from './mount-routes.ts'
import { noting } from './noting.ts'
import {
  type Address,
  assertFree,
  limitsBehind,
  type RunningServer,
  serve,
  type Treatment,
  type Watching,
} from './server.ts'

export type { HttpOptions, RunningServer }
export type Metrics = ReturnType<typeof createMetrics>
/** Metrics of requests, however they are answered. */
export type RequestMetrics = Pick<HttpMetrics, 'request' | 'refusal' | 'cut'>
export type ConsoleTools = HttpOptions['tools']

/** Serves the application that `appAt` builds for the actual URL; logs and counts what it never saw. */
const serving = (
  appAt: (url: string) => Koa,
  { trusted_proxies, ...address }: Address & { readonly trusted_proxies: number },
  {
    log,
    metrics,
    ...treatment
  }: { readonly log: Logger; readonly metrics: RequestMetrics } & Omit<Treatment, keyof Watching>,
): Promise<RunningServer> =>
  serve(appAt, address, limitsBehind(trusted_proxies), { ...noting(log, metrics), ...treatment })

/** Everything that the programs use of this adapter. */
export const http = {
  app: httpApp,
  mounted: mountedApp,
  assertFree,
  serve: serving,
  metrics: createMetrics,
  serveMetrics,
  readConsole,
}
