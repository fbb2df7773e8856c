import { stringifyJson } from '../json.ts'
import type { Values } from '../resources/resource.ts'
import type { smsGateways } from '../resources/sms-gateways.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { Message } from './message.ts'

export type Gateway = Values<typeof smsGateways.fields> & { readonly id: number }

/** An HTTP request that hands a message to its gateway. */
export interface Submission {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** null for GET. */
  readonly body: string | null
  /** For Basic authentication; null without. */
  readonly basic: { readonly username: string; readonly password: string } | null
  /** A PEM file of certificates that vouch for the gateway, in addition to the system's. */
  readonly caFile: string | null
}

/** Builds the request to a gateway without a profile. */
export function submission(message: Message, gateway: Gateway, options: GatewayOptions): Submission {
  const { username, password } = gateway
  const path = (gateway.api_path ?? 'send').replace(/^\/+/, '')
  const body = stringifyJson({
    to: message.to_number,
    from: message.from_sender,
    content: message.message,
    'dlr-url': message.callback_url,
    'dlr-level': options.dlrLevel,
    'dlr-method': options.dlrMethod,
  })
  return {
    method: 'POST',
    url: `${originOf(gateway)}/${path}`,
    headers: { 'content-type': 'application/json' },
    body,
    basic: { username, password },
    caFile: options.caFile,
  }
}

/** Returns scheme, host and port of a gateway. */
export function originOf({ use_ssl, server_host, server_port }: Gateway): string {
  const host = server_host.includes(':') && !server_host.startsWith('[') ? `[${server_host}]` : server_host
  return `${use_ssl ? 'https' : 'http'}://${host}:${server_port}`
}

/** Returns the address for the gateway's receipts, including the token if the gateway sends it in the query. */
export function receiptUrl(baseUrl: string, gateway: Gateway, { tokenIn }: GatewayOptions): string {
  const url = `${baseUrl}/api/sms-gateways/${gateway.id}/dlr`
  if (!gateway.callback_token || tokenIn === null || tokenIn === 'unreadable' || tokenIn.in !== 'query') return url
  return `${url}?${encodeURIComponent(tokenIn.name)}=${encodeURIComponent(gateway.callback_token)}`
}
