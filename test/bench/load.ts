import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'

export interface Request {
  readonly path: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Load {
  readonly url: string
  /** Sent in order, repeatedly. */
  readonly requests: readonly Request[]
  readonly seconds: number
  readonly connections: number
  /** For wrk's script. */
  readonly folder: string
}

export interface Measured {
  /** Answers of the 200s in a second. */
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

export const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).error === undefined

const hasWrk = hasProgram('wrk')

export const generator = hasWrk ? 'wrk' : 'autocannon'

/** Loads the service from a separate process. Throws on any answer but success. */
export const load = (given: Load): Promise<Measured> => (hasWrk ? byWrk(given) : byAutocannon(given))

const luaText = (text: string): string => JSON.stringify(text).replace(/\\u(\w{4})/g, '\\u{$1}')

function luaOf(requests: readonly Request[]): string {
  const formatted = requests.map(({ method = 'GET', path, headers = {}, body }) => {
    const table = Object.entries(headers).map(([name, value]) => `[${luaText(name)}]=${luaText(value)}`)
    const text = body === undefined ? 'nil' : luaText(body)
    return `wrk.format(${luaText(method)},${luaText(path)},{${table.join()}},${text})`
  })
  return `local all, next = {}, 0
init = function(args)
${formatted.map((call, i) => `all[${i + 1}] = ${call}`).join('\n')}
end
request = function() next = next % #all + 1 return all[next] end
done = function(summary, latency)
  io.stderr:write(string.format('{"count":%d,"micros":%d,"failures":%d,"p50":%f,"p99":%f}', summary.requests,
    summary.duration, summary.errors.status + summary.errors.read + summary.errors.timeout + summary.errors.connect,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`
}

async function byWrk({ url, requests, seconds, connections, folder }: Load): Promise<Measured> {
  const script = join(folder, `requests-${new URL(url).port}.lua`)
  writeFileSync(script, luaOf(requests))
  const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, url]
  const { stderr } = await promisify(execFile)('wrk', flags)
  const { count, micros, failures, p50, p99 }: Record<string, number> = JSON.parse(stderr)
  if (failures || !count || !micros) throw new Error(`${failures} requests of ${count} failed at ${url}`)
  return { perSecond: (count * 1_000_000) / micros, p50: p50 ?? 0, p99: p99 ?? 0 }
}

async function byAutocannon({ url, requests, seconds, connections }: Load): Promise<Measured> {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    workers: 1,
    requests: requests.map(({ method = 'GET', path, headers = {}, body }) => ({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
    })),
  })
  const failures = result.errors + result.timeouts + result.non2xx
  if (failures > 0) throw new Error(`${failures} requests failed at ${url}`)
  return { perSecond: result['2xx'] / result.duration, p50: result.latency.p50, p99: result.latency.p99 }
}
