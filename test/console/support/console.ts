import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { readConsole } from '../../../adapters/http/console/read-files.ts'
import { startWorld, type World } from '../../support/data/records.ts'
import { ADMIN } from '../../support/http/app.ts'
import { chromiumToTest } from './chromium.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Flags that prevent requests to other hosts, and disable the sandbox, which root cannot use. */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-dev-shm-usage'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

export async function launchBrowser(...more: readonly string[]): Promise<Browser> {
  const { executablePath, env } = await chromiumToTest()
  return chromium.launch({ executablePath, env, args: [...FLAGS, ...more] })
}

export interface ConsoleWorld extends World {
  /** Opens a page of the console, signed in by default, at that size. */
  open(path: string, options?: PageOptions): Promise<Page>
}

export interface PageOptions {
  readonly isSignedIn?: boolean
  /** The session of another account than the first: a Cookie header's value. */
  readonly as?: string
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
}

/** The built console in a real browser, with the real service. */
export async function startConsole(
  settings?: Parameters<typeof startWorld>[0],
  replacements?: Parameters<typeof startWorld>[1],
): Promise<ConsoleWorld> {
  const browser = await launchBrowser()
  const world = await startWorld(settings, replacements ?? {}, builtConsole())
  const seen: string[] = []
  return {
    ...world,
    open: (path, options) => openPage(browser, { url: world.service.url, session: world.session }, path, options, seen),
    close: async () => {
      if (process.exitCode) await tellPages(browser)
      await browser.close()
      await world.close()
      assert.deepEqual(seen, [], 'what the pages complained of')
    },
  }
}

/** Tells what the open pages show, after a test that failed. */
async function tellPages(browser: Browser): Promise<void> {
  for (const page of browser.contexts().flatMap(context => context.pages()))
    console.error(page.url(), await page.locator('main').ariaSnapshot({ timeout: 1_000 }).catch(String))
}

function builtConsole() {
  const starter = readFileSync(join(ROOT, 'dist/bin/trunklined.js'), 'utf8')
  const stamp = /\.\.\/([0-9a-f]+)\//.exec(starter)?.[1] ?? ''
  const files = readConsole(join(ROOT, 'dist', stamp, 'console'))
  assert.ok(files, 'the console is not built: npm run build')
  return files
}

const EXPECTED = /status of (?:401|403|404|409|413|422|429|503)|ERR_CONNECTION|ERR_INTERNET|ERR_FAILED/

/** How long to wait for something that should appear at once, on a busy machine. */
const PATIENCE_MS = 15_000

/** Notes what a page must never do: throw, violate the policy, log errors, or contact another host. */
export async function openPage(
  browser: Browser,
  { url, session }: { readonly url: string; readonly session: string },
  path: string,
  { isSignedIn = true, as = session, width = 1280, height = 800, colorScheme = 'light' }: PageOptions = {},
  seen: string[],
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, locale: 'en-GB' })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  page.on('pageerror', error => seen.push(`${path}: ${error.message}`))
  page.on('console', message => {
    const text = message.text()
    if (['error', 'warning'].includes(message.type()) && !EXPECTED.test(text)) seen.push(`${path}: ${text}`)
  })
  page.on('request', request => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:'))
      seen.push(`${path}: asked for ${request.url()}`)
  })
  if (isSignedIn) {
    const [name = '', value = ''] = as.split('=')
    await context.addCookies([{ name, value, url }])
  }
  await page.goto(url + path)
  return page
}

/** Fills in the login form. */
export async function signIn(page: Page, password: string = ADMIN.password): Promise<void> {
  const email = page.getByLabel('E-mail')
  if (await email.isEditable()) await email.fill(ADMIN.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

const AXE = readFileSync(join(dirname(createRequire(import.meta.url).resolve('axe-core')), 'axe.min.js'), 'utf8')

/** Violations of WCAG 2.2 AA on the present page: the rule and the elements. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Runtime.evaluate', { expression: AXE })
  const { result } = await devtools.send('Runtime.evaluate', {
    expression: `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) =>
      JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes.map(node => node.html).join(' | '))))`,
    awaitPromise: true,
    returnByValue: true,
  })
  await devtools.detach()
  return JSON.parse(String(result.value))
}
