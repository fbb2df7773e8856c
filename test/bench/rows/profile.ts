import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { joinSql, viewSql } from '../../../adapters/sqlite/records/view.ts'
import { cdrs } from '../../../core/resources/cdrs.ts'
import { load } from '../load.ts'
import { readProfile, shares } from '../profile.ts'
import { startSignedIn } from '../servers.ts'
import type { Line } from '../table.ts'
import { reading, writing } from './requests.ts'
import { type Bench, CONNECTIONS, type Row } from './row.ts'

/** The group of a sample, by the end of its source file's name; the first match wins. */
const GROUPS: readonly [group: string, source: RegExp][] = [
  ['session', /koa-session|\/(cookies|keygrip)\/|adapters\/http\/session\.ts|sign-in\.ts|sqlite\/sessions\.ts/],
  ['input', /koa-bodyparser|co-body|raw-body|adapters\/http\/body\.ts|resources\/(input|field)\.ts|core\/json\.ts/],
  ['serialisation', /adapters\/http\/responses\.ts/],
  ['audit', /audit\.ts/],
  ['storage', /adapters\/sqlite\//],
  ['log', /\/(pino|sonic-boom|safe-stable-stringify)\//],
  ['metrics', /prom-client|http\/metrics\.ts/],
  ['router', /@koa\/router|http\/route\.ts|resource-routes\.ts/],
  ['koa', /\/koa\/|koa-compose|on-finished|http\/app\.ts/],
  ['http', /^node:(_http|internal\/http|_http_)|^node:http/],
  ['garbage', /^\(garbage collector\)$/],
]

function groupOf(source: string, name: string): string | null {
  if (name === '(idle)' || name === '(program)') return 'idle'
  if (name === '(garbage collector)') return 'garbage'
  return GROUPS.find(([, pattern]) => pattern.test(source))?.[0] ?? null
}

/** The part of the statement's time that goes into making JSON rather than into finding the record. */
function jsonPart(path: string): number {
  const db = new Sqlite(path, { readonly: true })
  const from = `FROM cdrs t ${joinSql(cdrs, 'single')} WHERE t.id = ?`
  const columns = [...Object.keys(cdrs.fields), 'created_at', 'updated_at'].map(name => `t.${name}`)
  const plain = `${columns.join()}, tenant.name, tenant.slug, extension.extension_number, extension.display_name`
  const time = (select: string): number => {
    const statement = db.prepare<[number], unknown>(`SELECT ${select} ${from}`).raw()
    const started = performance.now()
    for (let id = 1; id <= 20_000; id++) statement.get(1 + ((id * 7919) % 10_000))
    return performance.now() - started
  }
  const [made, found] = [viewSql(cdrs, 'single'), plain].map(select =>
    Math.min(time(select), time(select), time(select)),
  )
  db.close()
  return made && found ? Math.max(0, 1 - found / made) : 0
}

async function profiled(bench: Bench, traffic: typeof reading): Promise<Map<string, number>> {
  const folder = mkdtempSync(join(bench.folder, 'profile-'))
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`]
  const daemon = await startSignedIn(bench.program, bench.databases.ours, flags)
  const requests = traffic(bench, daemon)
  await load({ url: daemon.url, requests, seconds: bench.seconds * 2, connections: CONNECTIONS, folder })
  await daemon.stop()
  return shares(readProfile(folder), groupOf)
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

const line = (what: string, share: number): Line => ({
  what,
  baseline: '',
  ours: percent(share),
  ratio: '',
  goal: '≤ 15 %',
  met: share <= 0.15,
})

export const profile: Row = {
  name: 'profile',
  run: async bench => {
    const get = await profiled(bench, reading)
    const post = await profiled(bench, writing)
    const json = (get.get('storage') ?? 0) * jsonPart(bench.databases.ours)
    for (const [name, found] of [
      ['GET', get],
      ['POST', post],
    ] as const)
      console.error(
        name,
        [...found]
          .sort((a, b) => b[1] - a[1])
          .map(([group, share]) => `${group} ${percent(share)}`)
          .join(', '),
      )
    return [
      line('session look-up, share of GET one CDR', get.get('session') ?? 0),
      line('input parsing, share of POST a CDR', post.get('input') ?? 0),
      line('serialisation, share of GET one CDR', (get.get('serialisation') ?? 0) + json),
    ]
  },
}
