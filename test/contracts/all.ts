import { describe } from 'node:test'
import { accountsContract } from './accounts.ts'
import { auditContract } from './audit.ts'
import { bulkContract } from './bulk.ts'
import { callDecksContract } from './call-decks.ts'
import { callUsageContract } from './call-usage.ts'
import { callsContract } from './calls.ts'
import type { Adapter, Contract } from './contract.ts'
import { decksContract } from './decks.ts'
import { listOrderContract } from './list-order.ts'
import { listsContract } from './lists.ts'
import { maintenanceContract } from './maintenance.ts'
import { messagesContract } from './messages.ts'
import { noticesContract } from './notices.ts'
import { parkedReceiptsContract } from './parked-receipts.ts'
import { recordRulesContract } from './record-rules.ts'
import { recordsContract } from './records.ts'
import { reratingContract } from './rerating.ts'
import { retentionContract } from './retention.ts'
import { serverKeysContract } from './server-keys.ts'
import { sessionsContract } from './sessions.ts'
import { withinContract } from './within.ts'

const CONTRACTS: readonly Pick<Contract, 'prove'>[] = [
  recordsContract,
  recordRulesContract,
  withinContract,
  listsContract,
  listOrderContract,
  messagesContract,
  parkedReceiptsContract,
  accountsContract,
  sessionsContract,
  auditContract,
  noticesContract,
  serverKeysContract,
  retentionContract,
  maintenanceContract,
  bulkContract,
  callsContract,
  reratingContract,
  callUsageContract,
  decksContract,
  callDecksContract,
]

/** Tests that a storage has every behaviour of the ports that it serves. */
export function prove(adapter: Adapter): void {
  describe(adapter.name, () => {
    for (const contract of CONTRACTS) contract.prove(adapter)
  })
}
