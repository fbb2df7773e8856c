import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { AppError } from '../../../core/errors.ts'

/** Throws `forbidden` for requests that a foreign page caused. */
export type RefuseForeign = (request: Pick<IncomingMessage, 'method' | 'headers'>) => void

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

const foreign = (): AppError => new AppError('forbidden', 'Requests from another origin are refused.')

/** Browsers say where a request comes from: one from another origin than this URL's changes nothing. */
export function onlyFrom(baseUrl: string): RefuseForeign {
  const { origin: own } = new URL(baseUrl)
  return ({ method = '', headers }) => {
    if (SAFE_METHODS.has(method)) return
    const { origin, 'sec-fetch-site': site } = headers
    if ((origin !== undefined && origin !== own) || site === 'cross-site') throw foreign()
  }
}

/**
 * The same without a configured URL: a page is our own if its host is the one that the request names. Anyone can point
 * a name here (DNS rebinding) to make a foreign page look like that, so only addresses, `localhost` and the name that
 * the service listens on count.
 */
export function fromOwnHost(listening: string): RefuseForeign {
  const own = new URL(listening).hostname
  let lastHost = own
  return ({ method = '', headers }) => {
    const { host = '', origin, 'sec-fetch-site': site } = headers
    if (host !== lastHost) assertKnown(host, own)
    lastHost = host
    if (SAFE_METHODS.has(method) || site === 'same-origin' || site === 'none') return
    if (site !== undefined || (origin !== undefined && hostOf(origin) !== host.toLowerCase())) throw foreign()
  }
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null)

const PORT = /:\d*$/
const NAME = /^[a-z\d._-]{1,253}$/

/** Programs other than browsers may name no host. */
function assertKnown(host: string, own: string): void {
  const name = host.toLowerCase().replace(PORT, '').replace(/\.$/, '')
  if (name === '' || name === 'localhost' || name === own || isIP(name.replace(/^\[|\]$/g, '')) > 0) return
  const [called, url] = NAME.test(name)
    ? [`the name ${name}`, `http://${host}`]
    : ['that name', 'https://pbx.example.com']
  throw new AppError('forbidden', `The service does not go by ${called}: set base_url to its address, such as ${url}.`)
}
