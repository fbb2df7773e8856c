import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { accessibilityProblems, launchBrowser } from '../../console/support/console.ts'
import { median, milliseconds, quantile, times } from '../figures.ts'
import { type Server, startBaseline, startSignedIn } from '../servers.ts'
import type { Line } from '../table.ts'
import { decks } from './console-deck.ts'
import type { Bench, Row } from './row.ts'

const ROW = '[data-id]'
const ROWS = 200
const SHORT_SCROLL_MS = 10_000
const LONG_SCROLL_MS = 60_000
/** Days that the list jumps to, from one end of the calls to the other. */
const JUMPS = 20
const AFTER_JUMP_MS = 500
const FIRST_DAY = Date.parse('2026-01-02')
const LAST_DAY = Date.parse('2026-10-28')
const ROWS_A_FRAME = 3
const ROW_PX = 36
const PAGES = [
  '/',
  '/tenants',
  '/cdrs',
  '/rates/new',
  '/usage',
  '/quote',
  '/audit',
  '/accounts',
  '/sessions',
  '/rerate',
]

interface World {
  readonly browser: Browser
  readonly daemon: Server
  readonly baseline: Server
}

/** The cost of the console, beside a page of plain HTML with the same rows. */
export const webConsole: Row = {
  name: 'console',
  run: async bench => {
    const daemon = await startSignedIn(bench.program, bench.databases.ours)
    const baseline = await startBaseline(bench.databases.baseline)
    const browser = await launchBrowser('--enable-precise-memory-info')
    const world = { browser, daemon, baseline }
    try {
      return [
        ...(await sizes(world)),
        ...(await firstRows(world, bench, 1, 300)),
        ...(await firstRows(world, bench, 4, 1_000)),
        ...(await scrolling(world)),
        ...(await filtered(daemon, bench)),
        ...(await decks(daemon)),
        await accessible(world),
      ]
    } finally {
      await browser.close()
      await baseline.stop()
      await daemon.stop()
    }
  },
}

/** A new page without a cache. */
async function fresh({ browser, daemon }: World, isSignedIn: boolean): Promise<[BrowserContext, Page]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  const [name = '', value = ''] = daemon.cookie.split('=')
  if (isSignedIn) await context.addCookies([{ name, value, url: daemon.url }])
  return [context, await context.newPage()]
}

const line = (what: string, goal: string, ours: string, met: boolean, baseline = '', ratio = ''): Line => ({
  ...{ what: `console: ${what}`, baseline, ours, ratio, goal, met },
})

/** The gzipped KB of files that a page requests until it shows something. */
async function weight(world: World, path: string, until: string, isSignedIn: boolean): Promise<number> {
  const [context, page] = await fresh(world, isSignedIn)
  const files = new Set<string>()
  page.on('request', request => {
    if (!request.url().includes('/api/')) files.add(request.url())
  })
  await page.goto(world.daemon.url + path)
  await page.locator(until).first().waitFor()
  await context.close()
  let bytes = 0
  for (const file of files) {
    if (file.startsWith('data:')) continue
    const response = await fetch(file, { headers: { 'accept-encoding': 'gzip' } })
    bytes += Number(response.headers.get('content-length'))
    await response.arrayBuffer()
  }
  return bytes / 1_000
}

async function sizes(world: World): Promise<Line[]> {
  const found = [
    ['before the first screen', '/', 'form.sign-in', false, 60],
    ['before the first list', '/cdrs', ROW, true, 60],
    ['with the chart', '/usage?month=2026-10&tenant=1', '.uplot', true, 100],
  ] as const
  const lines: Line[] = []
  for (const [what, path, until, isSignedIn, goal] of found) {
    const kilobytes = await weight(world, path, until, isSignedIn).catch(() => Number.NaN)
    lines.push(line(`gzip ${what}`, `≤ ${goal} KB`, `${kilobytes.toFixed(1)} KB`, kilobytes <= goal))
  }
  return lines
}

/** Runs in the page: the compiler has no `document` here. */
const NOTE_FIRST_ROW = `(() => {
  const look = () => {
    if (document.querySelector('${ROW}')) document.documentElement.dataset.first = String(performance.now())
    else requestAnimationFrame(look)
  }
  look()
})()`

/** Milliseconds from the beginning of a navigation to the first row. */
async function firstRow(world: World, url: string, slowed: number): Promise<number> {
  const [context, page] = await fresh(world, true)
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowed })
  await page.addInitScript({ content: NOTE_FIRST_ROW })
  await page.goto(url)
  await page.locator('html[data-first]').waitFor({ state: 'attached' })
  const took = Number(await page.locator('html').getAttribute('data-first'))
  await context.close()
  return took
}

async function firstRows(world: World, { rounds }: Bench, slowed: number, goal: number): Promise<Line[]> {
  const [ours, plain]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    plain.push(await firstRow(world, `${world.baseline.url}/page?limit=${ROWS}`, slowed))
    ours.push(await firstRow(world, `${world.daemon.url}/cdrs`, slowed))
  }
  const [found, beside] = [median(ours), median(plain)]
  const what = slowed === 1 ? 'first row, cold' : `first row, cold, processor slowed ${slowed} times`
  const ratio = times(found / beside)
  return [line(what, `≤ ${goal} ms`, milliseconds(found), found <= goal, milliseconds(beside), ratio)]
}

interface Scrolled {
  readonly gaps: readonly number[]
  readonly empty: number
  readonly rows: number
}

/** Scrolls the selected element, or the page, by this many rows a frame for some time, and notes each frame. */
const scroll = (page: Page, selector: string, milliseconds: number): Promise<Scrolled> =>
  page.evaluate<Scrolled>(`new Promise(resolve => {
    const view = document.querySelector(${JSON.stringify(selector)}) ?? document.documentElement
    const gaps = []
    let [empty, last, moved] = [0, performance.now(), 0]
    const until = last + ${milliseconds}
    const frame = now => {
      gaps.push(now - last)
      last = now
      const { left, top, height } = view.getBoundingClientRect()
      const middle = document.elementFromPoint(left + 100, Math.max(top, 0) + Math.min(height, innerHeight) / 2)
      if (!middle?.closest('[data-id]')) empty++
      const before = view.scrollTop
      view.scrollTop += ${ROWS_A_FRAME * ROW_PX}
      moved += view.scrollTop - before
      if (now < until) requestAnimationFrame(frame)
      else resolve({ gaps: gaps.slice(1), empty, rows: Math.round(moved / ${ROW_PX}) })
    }
    requestAnimationFrame(frame)
  })`)

async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  return usedSize / 1_048_576
}

/** Scrolls a page of plain HTML. */
async function scrollPlain(world: World): Promise<Scrolled> {
  const [context, page] = await fresh(world, true)
  await page.goto(`${world.baseline.url}/page?limit=5000`)
  const scrolled = await scroll(page, 'none', SHORT_SCROLL_MS)
  await context.close()
  return scrolled
}

/** Jumps to days all over the calls, and scrolls on from each. Returns how long the first row of each took. */
async function jumping(page: Page): Promise<number[]> {
  const took: number[] = []
  for (let jump = 0; jump < JUMPS; jump++) {
    // Alternately near one end and the other.
    const part = (jump % 2 ? JUMPS - jump : jump) / JUMPS
    const day = new Date(FIRST_DAY + part * (LAST_DAY - FIRST_DAY)).toISOString().slice(0, 10)
    const started = performance.now()
    await page.getByLabel('Jump to').fill(day)
    await page.locator(ROW).filter({ hasText: day }).first().waitFor()
    took.push(performance.now() - started)
    await scroll(page, '.table', AFTER_JUMP_MS)
  }
  return took
}

async function scrolling(world: World): Promise<Line[]> {
  const plain = quantile((await scrollPlain(world)).gaps, 0.95)
  const [context, page] = await fresh(world, true)
  await page.goto(`${world.daemon.url}/cdrs?columns=id,tenant_id,caller_number,destination_number,cost,started_at`)
  await page.locator(ROW).first().waitFor()
  await pause(500)
  const devtools = await context.newCDPSession(page)
  await scroll(page, '.table', SHORT_SCROLL_MS)
  const before = await heapOf(devtools)
  const { gaps, empty, rows } = await scroll(page, '.table', LONG_SCROLL_MS)
  const jumped = quantile(await jumping(page), 0.95)
  const heap = await heapOf(devtools)
  await context.close()
  const p95 = quantile(gaps, 0.95)
  const what = `${rows.toLocaleString('en')} calls scrolled, ${ROWS_A_FRAME} rows a frame`
  const frames = milliseconds(p95)
  const grown = `${before.toFixed(1)} MB before, ${heap.toFixed(1)} MB after`
  return [
    line(`${what}: p95 between frames`, '≤ 20 ms', frames, p95 <= 20, milliseconds(plain), times(p95 / plain)),
    line(`${what}: frames without a row`, '0', `${empty} of ${gaps.length}`, empty === 0),
    line(
      `${JUMPS} jumps to days of all months: p95 to their first row`,
      '≤ 300 ms',
      milliseconds(jumped),
      jumped <= 300,
    ),
    line('heap, before and after that scroll and the jumps', '≤ 120 MB', grown, heap <= 120),
  ]
}

/** Typical filters of a list of calls. */
const FILTERS = [
  (i: number) => `tenant=${1 + (i % 100)}`,
  (i: number) => `filter[tenant_id]=${1 + (i % 100)}&filter[direction]=outbound`,
  (i: number) => `filter[extension_id]=${1 + ((i * 37) % 20_000)}`,
  () => 'filter[disposition]=ANSWERED',
  (i: number) => `min[cost]=0.0${1 + (i % 9)}`,
  (i: number) => `from=2026-0${1 + (i % 3)}-01&to=2026-0${1 + (i % 3)}-08`,
]

async function filtered(daemon: Server, { cdrs }: Bench): Promise<Line[]> {
  const took: number[] = []
  for (let i = 0; i < 300; i++) {
    const query = FILTERS[i % FILTERS.length]?.(i) ?? ''
    const started = performance.now()
    const url = `${daemon.url}/api/console/records/cdrs?limit=${ROWS}&${query}`
    const response = await fetch(url, { headers: { cookie: daemon.cookie, 'accept-encoding': 'identity' } })
    await response.text()
    if (response.ok) took.push(performance.now() - started)
  }
  const goal = cdrs > 1_000_000 ? 150 : 50
  const p95 = quantile(took, 0.95)
  return [line(`a filtered page of ${ROWS}: p95 of ${took.length}`, `≤ ${goal} ms`, milliseconds(p95), p95 <= goal)]
}

async function accessible(world: World): Promise<Line> {
  let problems = 0
  for (const path of PAGES) {
    const [context, page] = await fresh(world, true)
    await page.goto(world.daemon.url + path)
    await page.locator('h1').first().waitFor()
    problems += (await accessibilityProblems(page)).length
    await context.close()
  }
  return line(`what axe finds on ${PAGES.length} pages`, '0', String(problems), problems === 0)
}
