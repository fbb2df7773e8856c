import { setTimeout as pause } from 'node:timers/promises'
import { files } from '../adapters/files/files.ts'
import type { ConsoleTools } from '../adapters/http/http.ts'
import { pbx } from '../adapters/pbx/pbx.ts'
import { system } from '../adapters/system/system.ts'
import type { Settings } from '../config/settings.ts'
import { EVERYTHING } from '../core/access/policy.ts'
import type { Passwords } from '../core/ports/accounts.ts'
import type { Decks } from '../core/ports/decks.ts'
import type { Messages, SmsGatewayClient } from '../core/ports/messaging/messages.ts'
import type { Profiles } from '../core/ports/messaging/profiles.ts'
import type { Storage, StorageOptions } from '../core/ports/storage.ts'
import type { Clock } from '../core/ports/system.ts'
import { ALONE, type Surroundings } from '../core/ports/upkeep.ts'
import type { LimitName } from '../core/switching/limits/limits.ts'
import { type Access, access as accessTo, type ServedPorts, type UseCases } from '../core/use-cases/accounts/access.ts'
import { type AccountKeeping, accountKeeping } from '../core/use-cases/accounts/accounts.ts'
import { type SecurityTrail, securityTrail } from '../core/use-cases/accounts/security-trail.ts'
import { type SignIn, signIn } from '../core/use-cases/accounts/sign-in.ts'
import { type LimitWatch, limitWatch } from '../core/use-cases/calls/limit-watch.ts'
import { Jobs } from '../core/use-cases/jobs/jobs.ts'
import { type Messaging, type MessagingSettings, messaging } from '../core/use-cases/messaging/messaging.ts'
import { type SmsRouting, smsRouting } from '../core/use-cases/messaging/sms-routing.ts'
import { administration, type UnreadListener } from '../core/use-cases/records/administer.ts'
import { browsing } from '../core/use-cases/records/browsing.ts'
import { lookup } from '../core/use-cases/records/lookup.ts'
import { overview } from '../core/use-cases/records/overview.ts'
import { prefixRouting } from '../core/use-cases/records/prefix-routing.ts'
import { lazyGatewayClient, lazyPasswords } from './lazy.ts'
import { ownProfiles } from './own-profiles.ts'
import { databasePlace } from './storage/database-place.ts'
import { changesOnThread, jobsOnThreads } from './threaded.ts'

/** Everything a program needs, wired once. */
export interface Trunkline extends UseCases {
  readonly storage: Storage
  readonly decks: Decks
  readonly tools: ConsoleTools
  readonly access: Access
  readonly smsRouting: SmsRouting
  readonly signIn: SignIn
  readonly security: SecurityTrail
  readonly limits: LimitWatch
  readonly accountKeeping: AccountKeeping
  readonly profiles: Profiles
  readonly clock: Clock
  readonly onUnread: UnreadListener
  close(): Promise<void>
}

export interface Replacements {
  readonly clock?: Clock
  readonly passwords?: Passwords
  readonly client?: SmsGatewayClient
}

/** Wraps what it measures. */
export interface Instruments {
  messages(port: Messages): Messages
  messaging(useCases: Messaging): Messaging
}

const NO_INSTRUMENTS: Instruments = { messages: port => port, messaging: useCases => useCases }

export type Opening = Pick<StorageOptions, 'create' | 'migrate' | 'onUpgrade' | 'onCommit' | 'actor' | 'foldsLog'> & {
  /** True if others must be answered meanwhile, however long a change takes. */
  readonly keepsLoopFree?: boolean
  readonly onUnread?: UnreadListener
  readonly surroundings?: Surroundings
  /** Called with an error of a job that its input did not cause. */
  readonly onTrouble?: (error: unknown) => void
  /** Called for each limit on calls that is reached, once an hour or day. */
  readonly onLimit?: (name: LimitName) => void
}

/** `baseUrl` is called when needed: with port 0, it is known only once the service listens. */
export async function compose(
  settings: Settings,
  baseUrl: () => string,
  opening: Opening,
  replacements: Replacements = {},
  instruments: Instruments = NO_INSTRUMENTS,
): Promise<Trunkline> {
  const clock = replacements.clock ?? system.clock()
  const storage = await (await databasePlace(settings)).open({ ...opening, clock })
  const { messages, accounts, sessions, audit, serverKeys } = storage
  const {
    records,
    decks,
    calls,
    close: endThread,
  } = opening.keepsLoopFree && storage.holdsThread
    ? changesOnThread(storage, settings, clock)
    : { records: storage.records, decks: storage.decks, calls: storage.calls, close: async () => {} }
  const onUnread = opening.onUnread ?? (() => {})
  const { session_idle: idle, session_absolute: absolute } = settings
  const passwords = replacements.passwords ?? lazyPasswords()
  const ids = system.ids()
  const profiles = ownProfiles(settings)
  const gatewayClient = lazyGatewayClient({ timeoutSeconds: settings.gateway_timeout, caFile: settings.ca_file })
  const jobFolder = storage.jobs ? '' : (settings.job_dir ?? files.jobFolderOf(settings.db))
  const jobs = new Jobs({
    ...{ records, audit, clock, runner: jobsOnThreads(settings, jobFolder) },
    store: storage.jobs ?? files.jobFolder(jobFolder),
    duties: storage.duties,
    pause: milliseconds => pause(milliseconds),
    onTrouble: opening.onTrouble ?? (() => {}),
  })
  const useCases = (served: ServedPorts): UseCases => ({
    administration: administration(served.records, onUnread),
    browsing: browsing({ records: served.records, audit, hash: system.shortHash }),
    overview: overview({
      ...{ records: served.records, calls, smsReports: storage.smsReports, jobs, clock },
      ...(served.tenantId === undefined ? {} : { tenantId: served.tenantId }),
      surroundings: opening.surroundings ?? ALONE,
    }),
    messaging: instruments.messaging(
      messaging({
        ...served,
        routes: storage.smsRoutes,
        client: replacements.client ?? gatewayClient,
        profiles,
        digests: system.digests(),
        clock,
        ids,
        settings: messagingSettings(settings, baseUrl),
      }),
    ),
  })
  const access = accessTo({ records, messages: instruments.messages(messages) }, settings.roles, useCases)
  const { records: _, ...everything } = access.useCases(EVERYTHING)
  return {
    storage,
    decks,
    clock,
    accountKeeping: accountKeeping({ accounts, sessions, records, passwords, ids, roles: settings.roles }),
    profiles,
    onUnread,
    access,
    ...everything,
    tools: {
      ...{ records, decks, calls, audit, clock, readRecord: pbx.readRecord, jobs },
    },
    smsRouting: smsRouting(lookup(records), prefixRouting(storage.smsRoutes)),
    limits: limitWatch({
      ...{ records, usage: storage.limitUsage, notices: storage.notices, audit, clock },
      onReached: opening.onLimit ?? (() => {}),
    }),
    security: securityTrail({ accounts, audit, serverKeys, digests: system.digests(), clock }),
    signIn: signIn({
      ...{ accounts, sessions, passwords, clock, lives: { idle, absolute } },
      isShared: storage.isShared,
    }),
    close: async () => {
      await jobs.close()
      await gatewayClient.close()
      await endThread()
      await storage.close()
    },
  }
}

/** Returns what answers requests over HTTP. */
export function answering(trunkline: Trunkline) {
  const { access, accountKeeping, administration, browsing, tools, messaging, overview } = trunkline
  const { smsRouting, signIn, security, storage } = trunkline
  const { serverKeys, loginCounts, notices, heartbeat } = storage
  return {
    ...{ access, accountKeeping, administration, browsing, tools, messaging, overview },
    ...{ smsRouting, signIn, security, serverKeys, loginCounts, notices, heartbeat },
  }
}

const messagingSettings = ({ gateway_timeout, parked_hours }: Settings, baseUrl: () => string): MessagingSettings => ({
  gatewayTimeout: gateway_timeout,
  parkedFor: parked_hours * 3600,
  get baseUrl() {
    return baseUrl()
  },
})
