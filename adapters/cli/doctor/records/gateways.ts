import { smsGateways } from '../../../../core/resources/sms-gateways.ts'
import { gatewayOptions } from '../../../../core/sms/gateway-options.ts'
import { quoted } from '../../command-line.ts'
import type { Services } from '../../context.ts'
import { spelling } from '../../naming/references.ts'
import { cell } from '../../terminal/json-values.ts'
import { type Check, type Finding, recordsOf } from '../check.ts'

const LOOPBACK = /^(?:localhost|127\..*|::1|\[::1\])$/

/**
 * Finds passwords that are sent elsewhere than before, and receipts that are refused, unchecked, or have no way back.
 */
export const gateways: Check = {
  about: 'gateways and their receipts',
  async *examine(patient) {
    let reached = 0
    const services = await patient.open()
    for await (const row of recordsOf(services, smsGateways)) {
      const { tokenIn, profile } = gatewayOptions(row['meta'] === null ? null : cell(row['meta']))
      if (!LOOPBACK.test(cell(row['server_host']))) reached++
      // A profile itself says where its token is.
      if (row['callback_token'] === null || tokenIn !== null || profile !== null) continue
      const named = await spelling(services.records, smsGateways, Number(row['id']))
      yield {
        kind: 'token_unchecked',
        finding: `gateway ${named} has a callback token, but nothing checks it`,
        fix: `trunkline gateway update ${quoted(named)} --meta-set dlr_token_in=query:token`,
      }
    }
    yield* retargeted(services)
    if (reached > 0 && patient.settings['base_url'] === null)
      yield {
        kind: 'base_url_missing',
        finding: 'gateways elsewhere cannot send receipts to this host, since base_url is not set',
        fix: 'export TRUNKLINE_BASE_URL=https://pbx.example.com',
      }
  },
}

async function* retargeted({ messages, records }: Services): AsyncIterable<Finding> {
  for (const { gatewayId, changedAt } of await messages.retargeted()) {
    const gateway = await records.find(smsGateways, gatewayId)
    const named = await spelling(records, smsGateways, gatewayId)
    yield {
      kind: 'gateway_retargeted',
      finding: `gateway ${named} was changed on ${changedAt}: its password goes to ${gateway?.['server_host']}:${gateway?.['server_port']} now, ${gateway?.['use_ssl'] ? 'with' : 'without'} TLS, for the user ${gateway?.['username']}, and no message has been accepted there yet (trunkline gateway test sends one)`,
      fix: `trunkline audit list --resource sms_gateways --record ${quoted(named)}`,
    }
  }
}
