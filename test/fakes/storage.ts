import type { Accounts, Sessions } from '../../core/ports/accounts.ts'
import type { Audit } from '../../core/ports/audit.ts'
import type { Messages } from '../../core/ports/messaging/messages.ts'
import type { Notice, Notices } from '../../core/ports/notices.ts'
import type { PrefixRoutes } from '../../core/ports/prefix-routes.ts'
import type { Records } from '../../core/ports/records.ts'
import type { ServerKeys } from '../../core/ports/server-keys.ts'
import type { Clock } from '../../core/ports/system.ts'
import type { Retention } from '../../core/ports/upkeep.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { accounts, type StoredAccount } from './accounts.ts'
import { messages } from './messages.ts'
import { prefixRoutes } from './prefix-routes.ts'
import { nameOf, RecordSteps, records } from './records.ts'
import { retention } from './retention.ts'
import { type StoredSession, sessions } from './sessions.ts'
import { Journal, Table, Tables } from './tables.ts'
import { trail } from './trail.ts'

/** The ports that the fake serves: it has no bulk loads, calls, decks or upkeep of a file. */
export interface FakeStorage {
  readonly records: Records
  readonly messages: Messages
  readonly smsRoutes: PrefixRoutes
  readonly trunkRoutes: PrefixRoutes
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly audit: Audit
  readonly notices: Notices
  readonly serverKeys: ServerKeys
  readonly retention: Retention
  close(): Promise<void>
}

/**
 * A storage in plain objects, to test core without a database. It passes the contracts, and takes references, limits,
 * orders and embeds from the declared resources. It scans every record for each question.
 */
export function fakeStorage(clock: Clock): FakeStorage {
  const journal = new Journal()
  const tables = new Tables(journal)
  const steps = new RecordSteps(tables, clock)
  const signedIn = { accounts: new Table<StoredAccount>(journal), sessions: new Table<StoredSession>(journal) }
  const noting = trail(journal, clock, (resource, id) =>
    resource === 'accounts' ? (signedIn.accounts.get(id)?.email ?? null) : nameOf(tables, resourceNamed(resource), id),
  )
  return {
    records: records(journal, tables, steps, noting),
    messages: messages(journal, tables, steps, noting, clock),
    trunkRoutes: prefixRoutes(),
    smsRoutes: prefixRoutes(),
    accounts: accounts(journal, clock, noting, signedIn),
    sessions: sessions(journal, noting, signedIn),
    audit: noting.audit,
    notices: notices(clock),
    serverKeys: serverKeys(),
    retention: retention(journal, tables, noting),
    close: async () => {},
  }
}

function notices(clock: Clock): Notices {
  const raised = new Map<string, Notice>()
  const keyOf = (code: string, subject: string): string => JSON.stringify([code, subject])
  return {
    raise: async ({ code, subject, detail }) => {
      const lastAt = clock.now()
      const firstAt = raised.get(keyOf(code, subject))?.firstAt ?? lastAt
      raised.set(keyOf(code, subject), { code, subject, detail, firstAt, lastAt })
    },
    clear: async (code, subject = '') => {
      raised.delete(keyOf(code, subject))
    },
    list: async () =>
      [...raised.values()].sort((a, b) => (keyOf(a.code, a.subject) < keyOf(b.code, b.subject) ? -1 : 1)),
  }
}

function serverKeys(): ServerKeys {
  const keys = new Map<string, string>()
  return {
    find: async name => {
      const key = keys.get(name) ?? Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
      keys.set(name, key)
      return key
    },
  }
}
