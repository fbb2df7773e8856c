import { diallingOf } from '../../../core/dialling/settings.ts'
import type { CallFacts, CallsInProgress, LiveCall } from '../../../core/ports/switching.ts'
import { decideCall } from '../../../core/switching/decide-call.ts'
import type { CallDecision, Target } from '../../../core/switching/decision.ts'
import type {
  SwitchDid,
  SwitchExtension,
  SwitchQueue,
  TenantDirectory,
  Trunk,
} from '../../../core/switching/directory.ts'
import { callIndex, NO_CALLS } from '../../../core/switching/in-progress.ts'
import { type Limits, NOTHING_USED } from '../../../core/switching/limits/limits.ts'

/** Directories of tenants for tests of what switches are answered, and what is decided by them. */

export const NO_LIMITS: Limits = {
  most: {},
  blockedPrefixes: [],
  allowedPrefixes: null,
  maxSeconds: null,
  ratedOnly: false,
  unreadable: [],
}

export const extension = (number: string, given: Partial<SwitchExtension> = {}): SwitchExtension => ({
  id: Number(number) || 1,
  number,
  displayName: `Desk ${number}`,
  secret: `s3cret-${number}`,
  status: 'active',
  hasVoicemail: false,
  devices: 1,
  ...given,
})

export const queue = (number: string, given: Partial<SwitchQueue> = {}): SwitchQueue => ({
  id: Number(number) || 1,
  number,
  name: `Queue ${number}`,
  strategy: 'ringall',
  timeout: 60,
  status: 'active',
  agents: [],
  ...given,
})

export const did = (number: string, targets: SwitchDid['targets'], given: Partial<SwitchDid> = {}): SwitchDid => ({
  id: 1,
  tenantId: 1,
  number,
  provider: 'Some carrier',
  status: 'active',
  targets,
  ...given,
})

export const trunk = (name: string, given: Partial<Trunk> = {}): Trunk => ({
  id: 1,
  name,
  host: `${name}.example.com`,
  port: 5060,
  transport: 'udp',
  username: null,
  secret: null,
  registers: false,
  numberForm: 'e164',
  codecs: [],
  maxCalls: null,
  status: 'active',
  ...given,
})

export interface World {
  readonly settings?: unknown
  readonly tenant?: Partial<TenantDirectory['tenant']>
  readonly extensions?: readonly SwitchExtension[]
  readonly queues?: readonly SwitchQueue[]
  readonly dids?: readonly SwitchDid[]
  readonly trunks?: readonly Trunk[]
  readonly routes?: TenantDirectory['trunkRoutes']
  readonly limits?: Partial<Limits>
  readonly ofExtension?: Partial<Limits>
}

/** Tenant acme of Ukraine with extension 101, and all numbers through carrier-one, by default. */
export function directory(given: World = {}): TenantDirectory {
  const dialling = diallingOf(given.settings ?? { dialling: { country: 'UA' } })
  const { extensions = [extension('101'), extension('102')], queues = [], dids = [] } = given
  const { trunks = [trunk('carrier-one')] } = given
  return {
    tenant: {
      ...{ id: 1, slug: 'acme', domain: 'acme.example.com', status: 'active', timezone: 'Europe/Kyiv' },
      ...given.tenant,
    },
    dialling,
    limits: {
      tenant: { ...NO_LIMITS, ...given.limits },
      extension: { ...NO_LIMITS, ...given.ofExtension },
      extensions: new Map(),
    },
    extensions: new Map(extensions.map(each => [each.number, each])),
    queues: new Map(queues.map(each => [each.number, each])),
    dids: new Map(dids.map(each => [dialling.read(each.number).digits, each])),
    trunks: new Map(trunks.map(each => [each.name, each])),
    trunkRoutes: given.routes ?? [{ id: 1, tenant_id: null, prefix: '', trunks: trunks.map(({ name }) => name) }],
  }
}

export const facts = (given: World = {}, others: Partial<CallFacts> = {}): CallFacts => ({
  directory: directory(given),
  rate: null,
  used: { tenant: NOTHING_USED, extension: NOTHING_USED },
  ...others,
})

export const liveCall = (given: Partial<LiveCall> = {}): LiveCall => ({
  id: '1',
  tenant: 'acme',
  extension: '101',
  from: '101',
  to: '+380501234567',
  direction: 'outbound',
  trunk: 'carrier-one',
  startedAt: '2026-10-01T12:00:00.000000Z',
  answeredAt: null,
  ...given,
})

/** Returns these calls as being in progress, each with its own id. */
export const inProgress = (calls: readonly LiveCall[]): CallsInProgress =>
  callIndex(calls.map((call, n) => ({ ...call, id: String(n) })))

/** Decides on a call that an extension dials. */
export const dial = (dialled: string, given: CallFacts, live: readonly LiveCall[] = [], from = '101'): CallDecision =>
  decideCall({ from: 'extension', extension: from, dialled }, given, inProgress(live))

/** Decides on a call that a trunk brings. */
export const bring = (dialled: string, given: CallFacts, by: string | null = 'carrier-one'): CallDecision =>
  decideCall({ from: 'trunk', trunk: by, caller: '+12125550100', dialled }, given, NO_CALLS)

function written(target: Target): string {
  switch (target.to) {
    case 'extension':
      return `extension ${target.extension.number} ${target.rings}`
    case 'queue':
      return `queue ${target.queue.number} [${target.agents.map(agent => agent.extension.number).join()}]`
    case 'voicemail':
    case 'mailbox':
      return `${target.to} ${target.extension.number}`
    case 'trunk':
      return `${target.trunk.name} ${target.number} as ${target.caller}`
  }
}

/** Where a call went, or why it was refused. */
export const went = (decision: CallDecision): string | readonly string[] =>
  decision.refusal ?? decision.targets.map(written)
