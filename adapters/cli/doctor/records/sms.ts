import { smsGateways } from '../../../../core/resources/sms-gateways.ts'
import { gatewayOptions } from '../../../../core/sms/gateway-options.ts'
import { SUSPECT_AFTER } from '../../../../core/sms/health.ts'
import { overdueMessages, suspectGateways } from '../../../../core/use-cases/messaging/sms-health.ts'
import { quoted } from '../../command-line.ts'
import { spelling } from '../../naming/references.ts'
import { cell } from '../../terminal/json-values.ts'
import { type Check, recordsOf } from '../check.ts'

/** Finds failing gateways, unusable profiles, and messages without news. */
export const sms: Check = {
  about: 'sends through gateways, and their profiles',
  async *examine(patient) {
    const services = await patient.open()
    const { records, profiles } = services
    const named = async (id: number): Promise<string> => quoted(await spelling(records, smsGateways, id))
    for await (const row of recordsOf({ records }, smsGateways)) {
      const { profile } = gatewayOptions(row['meta'] === null ? null : cell(row['meta']))
      const found = profile === null ? null : profiles.named(profile)
      const gateway = await named(Number(row['id']))
      if (found && 'problem' in found)
        yield {
          kind: 'profile_unusable',
          finding: `gateway ${gateway} sends nothing: ${found.problem.replace(/\.$/, '')}`,
          fix: 'trunkline gateway profile list',
        }
      if (found && 'profile' in found && row['callback_token'] === null)
        yield {
          kind: 'receipts_unproven',
          finding: `gateway ${gateway} takes receipts from anybody, since it has no callback token`,
          fix: `trunkline gateway update ${gateway} --callback-token-file token.txt`,
        }
    }
    for (const id of await suspectGateways(services))
      yield {
        kind: 'gateway_suspect',
        finding: `the last ${SUSPECT_AFTER} sends through gateway ${await named(id)} failed`,
        fix: `trunkline sms list --gateway ${await named(id)} --limit ${SUSPECT_AFTER}`,
      }
    for (const { gateway, count } of await overdueMessages(services)) {
      const isThere = (await records.find(smsGateways, gateway)) !== null
      yield {
        kind: 'messages_overdue',
        finding: `${count} ${count === 1 ? 'message' : 'messages'} through gateway ${isThere ? await named(gateway) : gateway} ${count === 1 ? 'has' : 'have'} been on the way for more than an hour`,
        fix: 'trunkline sms list --stuck',
      }
    }
  },
}
