import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { AppError } from '../../../core/errors.ts'

/** Throws `forbidden` for what a page from elsewhere asks for. */
export type RefuseForeign = (request: Pick<IncomingMessage, 'method' | 'headers'>) => void

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

const foreign = (): AppError => new AppError('forbidden', 'Requests from another origin are refused.')

/** A browser says where a request comes from; one from elsewhere than this URL's origin changes nothing here. */
export function onlyFrom(baseUrl: string): RefuseForeign {
  const { origin: own } = new URL(baseUrl)
  return ({ method = '', headers }) => {
    if (SAFE_METHODS.has(method)) return
    const { origin, 'sec-fetch-site': site } = headers
    if ((origin !== undefined && origin !== own) || site === 'cross-site') throw foreign()
  }
}

/**
 * The same where nobody has said what the service is called: a page of the host that it was asked by is its own. A name
 * that anyone can point here (DNS rebinding) would make a stranger's page one of those, so only addresses, `localhost`
 * and the name that the service listens on will do.
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

/** What is not of a browser may name no host. */
function assertKnown(host: string, own: string): void {
  const name = host.toLowerCase().replace(PORT, '').replace(/\.$/, '')
  if (name === '' || name === 'localhost' || name === own || isIP(name.replace(/^\[|\]$/g, '')) > 0) return
  const [called, url] = NAME.test(name)
    ? [`the name ${name}`, `http://${host}`]
    : ['that name', 'https://pbx.example.com']
  throw new AppError('forbidden', `The service does not go by ${called}: set base_url to its address, such as ${url}.`)
}
