const ANSWERS_WITHIN_MS = 2_000

/** Returns what the daemon on this machine measures, in Prometheus' text format; null if it does not answer. */
export async function daemonMetrics(settings: Readonly<Record<string, unknown>>): Promise<string | null> {
  const port = Number(settings['metrics_port'])
  if (port === 0) return null
  const url = `http://127.0.0.1:${port}/metrics`
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) }).catch(() => null)
  return response?.ok ? response.text() : null
}

/** Returns the feeds of call records that the daemon can neither read nor store, by name. */
export const failingFeeds = (metrics: string | null): string[] =>
  [...(metrics ?? '').matchAll(/^trunkline_feed_failing\{feed="((?:[^"\\]|\\.)*)"\} 1$/gm)].map(([, name = '']) =>
    name.replace(/\\(.)/g, '$1'),
  )

/** Returns what the daemon measures of a kind of switch; null if it does not say. */
export function switchMetric(metrics: string | null, kind: string, name: string): number | null {
  const series = `trunkline_switch_${name}{switch="${kind}"}`
  const line = metrics?.split('\n').find(each => each.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length + 1))
}
