import { describe } from 'node:test'
import { callDecksContract } from './calls/call-decks.ts'
import { callUsageContract } from './calls/call-usage.ts'
import { callsContract } from './calls/calls.ts'
import { decksContract } from './calls/decks.ts'
import { limitUsageContract } from './calls/limit-usage.ts'
import { reratingContract } from './calls/rerating.ts'
import { switchDirectoryContract } from './calls/switch-directory.ts'
import type { Adapter, Contract, Port } from './contract.ts'
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
import { dutiesContract } from './service/duties.ts'
import { gaugesContract } from './service/gauges.ts'
import { heartbeatContract } from './service/heartbeat.ts'
import { jobsContract } from './service/jobs.ts'
import { loginCountsContract } from './service/login-counts.ts'
import { maintenanceContract } from './service/maintenance.ts'
import { noticesContract } from './service/notices.ts'
import { smsRoutesContract, trunkRoutesContract } from './service/prefix-routes.ts'
import { retentionContract } from './service/retention.ts'
import { serverKeysContract } from './service/server-keys.ts'
import { sessionsContract } from './service/sessions.ts'
import { ratedPrefixesContract } from './switching/rated-prefixes.ts'
import { switchChangesContract } from './switching/switch-changes.ts'

const CONTRACTS: readonly Pick<Contract, 'prove' | 'needs'>[] = [
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
  loginCountsContract,
  auditContract,
  noticesContract,
  serverKeysContract,
  retentionContract,
  maintenanceContract,
  backupsContract,
  heartbeatContract,
  gaugesContract,
  dutiesContract,
  jobsContract,
  bulkContract,
  callsContract,
  reratingContract,
  callUsageContract,
  limitUsageContract,
  switchDirectoryContract,
  switchChangesContract,
  ratedPrefixesContract,
  decksContract,
  callDecksContract,
]

/** Those of everything that reads or writes calls. */
export const CALL_CONTRACTS: typeof CONTRACTS = [
  recordsContract,
  listsContract,
  listOrderContract,
  indexingContract,
  retentionContract,
  maintenanceContract,
  bulkContract,
  callsContract,
  reratingContract,
  callUsageContract,
  limitUsageContract,
  switchDirectoryContract,
  switchChangesContract,
  callDecksContract,
]

/** Every port of a storage; the type makes it complete. */
const PORTS: Readonly<Record<Port, true>> = {
  records: true,
  messages: true,
  accounts: true,
  sessions: true,
  loginCounts: true,
  audit: true,
  notices: true,
  serverKeys: true,
  bulk: true,
  calls: true,
  limitUsage: true,
  switchDirectory: true,
  switchChanges: true,
  ratedPrefixes: true,
  decks: true,
  retention: true,
  maintenance: true,
  heartbeat: true,
  indexing: true,
  gauges: true,
  duties: true,
  jobs: true,
  smsRoutes: true,
  trunkRoutes: true,
  smsReports: true,
}

const isPort = (name: string): name is Port => Object.hasOwn(PORTS, name)

export const EVERY_PORT: readonly Port[] = Object.keys(PORTS).filter(isPort)

/** Returns the ports without a contract. */
export const portsWithoutContract = (): readonly Port[] =>
  EVERY_PORT.filter(port => !CONTRACTS.some(({ needs }) => needs.includes(port)))

/** Tests that a storage has every behaviour of the ports it serves. */
export function prove(adapter: Adapter, contracts = CONTRACTS): void {
  describe(adapter.name, () => {
    for (const contract of contracts) contract.prove(adapter)
  })
}
