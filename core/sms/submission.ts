import { stringifyJson } from '../json.ts'
import type { Values } from '../resources/resource.ts'
import type { smsGateways } from '../resources/sms-gateways.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { Message, Submission } from './message.ts'

export type Gateway = Values<typeof smsGateways.fields> & { readonly id: number }

/** How a message is handed to its gateway. */
export function submission(message: Message, gateway: Gateway, options: GatewayOptions): Submission {
  const { username, password } = gateway
  const body = stringifyJson({
    to: message.to_number,
    from: message.from_sender,
    content: message.message,
    'dlr-url': message.callback_url,
    'dlr-level': options.dlrLevel,
    'dlr-method': options.dlrMethod,
  })
  return { url: submitUrl(gateway), username, password, body }
}

function submitUrl({ use_ssl, server_host, server_port, api_path }: Gateway): string {
  const host = server_host.includes(':') && !server_host.startsWith('[') ? `[${server_host}]` : server_host
  return `${use_ssl ? 'https' : 'http'}://${host}:${server_port}/${(api_path ?? 'send').replace(/^\/+/, '')}`
}

/** The gateway's receipts come to this address; where they need a token in the query, it is in it. */
export function receiptUrl(baseUrl: string, gateway: Gateway, { tokenIn }: GatewayOptions): string {
  const url = `${baseUrl}/api/sms-gateways/${gateway.id}/dlr`
  if (!gateway.callback_token || tokenIn === null || tokenIn === 'unreadable' || tokenIn.in !== 'query') return url
  return `${url}?${encodeURIComponent(tokenIn.name)}=${encodeURIComponent(gateway.callback_token)}`
}
