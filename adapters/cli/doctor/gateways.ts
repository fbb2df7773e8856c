import { isJsonObject } from '../../../core/json.ts'
import { smsGateways } from '../../../core/resources/sms-gateways.ts'
import { gatewayOptions } from '../../../core/sms/gateway-options.ts'
import { cell } from '../columns.ts'
import { quoted } from '../command-line.ts'
import { type Check, recordsOf } from './check.ts'

const LOOPBACK = /^(?:localhost|127\..*|::1|\[::1\])$/

/** Receipts that are refused, not checked, or have no way back. */
export const gateways: Check = {
  about: 'gateways and their receipts',
  async *examine(patient) {
    let reached = 0
    for await (const row of recordsOf(await patient.open(), smsGateways)) {
      const name = cell(row['name'])
      const meta = isJsonObject(row['meta']) ? row['meta'] : {}
      const { tokenIn } = gatewayOptions(row['meta'] === null ? null : cell(row['meta']))
      if (!LOOPBACK.test(cell(row['server_host']))) reached++
      if ((row['callback_token'] === null || tokenIn !== null) && tokenIn !== 'unreadable') continue
      const mended = JSON.stringify({ ...meta, dlr_token_in: 'query:token' })
      yield {
        kind: tokenIn === 'unreadable' ? 'token_unreadable' : 'token_unchecked',
        finding:
          tokenIn === 'unreadable'
            ? `the dlr_token_in of gateway ${name} cannot be read, so that every receipt is refused`
            : `gateway ${name} has a callback token that nobody checks`,
        mend: `trunkline gateway update ${quoted(name)} --meta ${quoted(mended)}`,
      }
    }
    if (reached > 0 && patient.settings['base_url'] === null)
      yield {
        kind: 'base_url_missing',
        finding: 'gateways elsewhere cannot send receipts to this host, since base_url is not set',
        mend: 'export TRUNKLINE_BASE_URL=https://pbx.example.com',
      }
  },
}
