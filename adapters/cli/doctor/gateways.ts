import { smsGateways } from '../../../core/resources/sms-gateways.ts'
import { gatewayOptions } from '../../../core/sms/gateway-options.ts'
import { quoted } from '../command-line.ts'
import { cell } from '../json-values.ts'
import { spelling } from '../references.ts'
import { type Check, recordsOf } from './check.ts'

const LOOPBACK = /^(?:localhost|127\..*|::1|\[::1\])$/

/** Receipts that are refused, not checked, or have no way back. */
export const gateways: Check = {
  about: 'gateways and their receipts',
  async *examine(patient) {
    let reached = 0
    const services = await patient.open()
    for await (const row of recordsOf(services, smsGateways)) {
      const { tokenIn } = gatewayOptions(row['meta'] === null ? null : cell(row['meta']))
      if (!LOOPBACK.test(cell(row['server_host']))) reached++
      if (row['callback_token'] === null || tokenIn !== null) continue
      const named = await spelling(services.records, smsGateways, Number(row['id']))
      yield {
        kind: 'token_unchecked',
        finding: `gateway ${named} has a callback token, but nothing checks it`,
        fix: `trunkline gateway update ${quoted(named)} --meta-set dlr_token_in=query:token`,
      }
    }
    if (reached > 0 && patient.settings['base_url'] === null)
      yield {
        kind: 'base_url_missing',
        finding: 'gateways elsewhere cannot send receipts to this host, since base_url is not set',
        fix: 'export TRUNKLINE_BASE_URL=https://pbx.example.com',
      }
  },
}
