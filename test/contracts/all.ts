import { describe } from 'node:test'
import { callDecksContract } from './calls/call-decks.ts'
import { callUsageContract } from './calls/call-usage.ts'
import { callsContract } from './calls/calls.ts'
import { decksContract } from './calls/decks.ts'
import { limitUsageContract } from './calls/limit-usage.ts'
import { reratingContract } from './calls/rerating.ts'
import { switchDirectoryContract } from './calls/switch-directory.ts'
import type { Adapter, Contract } from './contract.ts'
import { messagesContract } from './messaging/messages.ts'
import { parkedReceiptsContract } from './messaging/parked-receipts.ts'
import { smsReportsContract } from './messaging/sms-reports.ts'
import { bulkContract } from './records/bulk.ts'
import { indexingContract } from './records/indexing.ts'
import { listOrderContract } from './records/list-order.ts'
import { listsContract } from './records/lists.ts'
import { recordRulesContract } from './records/record-rules.ts'
import { recordsContract } from './records/records.ts'
import { withinContract } from './records/within.ts'
import { accountsContract } from './service/accounts.ts'
import { auditContract } from './service/audit.ts'
import { backupsContract } from './service/backups.ts'
import { gaugesContract } from './service/gauges.ts'
import { heartbeatContract } from './service/heartbeat.ts'
import { maintenanceContract } from './service/maintenance.ts'
import { noticesContract } from './service/notices.ts'
import { smsRoutesContract, trunkRoutesContract } from './service/prefix-routes.ts'
import { retentionContract } from './service/retention.ts'
import { serverKeysContract } from './service/server-keys.ts'
import { sessionsContract } from './service/sessions.ts'

const CONTRACTS: readonly Pick<Contract, 'prove'>[] = [
  recordsContract,
  recordRulesContract,
  withinContract,
  listsContract,
  listOrderContract,
  indexingContract,
  messagesContract,
  parkedReceiptsContract,
  smsRoutesContract,
  trunkRoutesContract,
  smsReportsContract,
  accountsContract,
  sessionsContract,
  auditContract,
  noticesContract,
  serverKeysContract,
  retentionContract,
  maintenanceContract,
  backupsContract,
  heartbeatContract,
  gaugesContract,
  bulkContract,
  callsContract,
  reratingContract,
  callUsageContract,
  limitUsageContract,
  switchDirectoryContract,
  decksContract,
  callDecksContract,
]

/** Tests that a storage has every behaviour of the ports that it serves. */
export function prove(adapter: Adapter): void {
  describe(adapter.name, () => {
    for (const contract of CONTRACTS) contract.prove(adapter)
  })
}
