import type { UsedBy } from '../../../core/ports/switching.ts'
import { isActive } from '../../../core/rating/deck.ts'
import type { SwitchExtension, SwitchQueue, TenantDirectory } from '../../../core/switching/directory.ts'
import { isFitName, isFitNumber } from '../../../core/switching/fit.ts'
import { insideTargets } from '../../../core/switching/inside.ts'
import type { LimitSettings } from '../../../core/switching/limits/limits.ts'
import { type DidEntry, didEntries } from './dids.ts'
import { endedBy, endedCount, noteEnd, waitForRecords } from './ended.ts'
import { insideContexts } from './inside.ts'
import { extensionLimits, isAnyExtensionCounted, isMetered, isOnCost, NO_LIMIT, roomOf } from './limits.ts'
import {
  caseless,
  contexts,
  DIALLED,
  endpointId,
  exten,
  type LeftOut,
  ON_LINE,
  queueName,
  refuse,
  refuseIf,
  section,
} from './lines.ts'
import { outsideContexts } from './outside.ts'
import { callersOf } from './routes.ts'
import { cleanName, mayRegister, type Telephone, telephonesOf } from './telephones.ts'

/** What one tenant's part of the files is rendered from. */
export interface TenantFacts {
  readonly directory: TenantDirectory
  readonly used: UsedBy
  /** Prefixes of the rates in force; needed only if outgoing calls require a rate. */
  readonly ratedPrefixes: readonly string[]
  /** The context that reads what its phones dial. */
  readonly reader: string
}

export interface TenantText {
  readonly slug: string
  readonly telephones: readonly Telephone[]
  readonly extensions: string
  readonly queues: string
  readonly voicemail: string
  readonly dids: readonly DidEntry[]
  readonly leftOut: readonly LeftOut[]
}

/** Renders one tenant. Nothing of an inactive tenant is on the switch: neither phones, calls, queues nor DIDs. */
export function renderTenant(facts: TenantFacts): TenantText {
  const { tenant } = facts.directory
  const { slug } = tenant
  const leftOut: LeftOut[] = []
  const nothing = { slug, telephones: [], extensions: '', queues: '', voicemail: '', dids: [], leftOut }
  if (!isActive(tenant.status)) return nothing
  if (!isFitName(slug)) {
    leftOut.push({ of: `tenant ${JSON.stringify(slug)}`, why: 'its slug has characters that no switch can use' })
    return nothing
  }
  const full = fullSteps(facts)
  return {
    ...nothing,
    telephones: telephonesOf(facts.directory, left => leftOut.push(left)),
    extensions: dialplan(facts, full),
    queues: queues(facts.directory),
    voicemail: voicemail(facts.directory),
    dids: didEntries(facts.directory),
  }
}

function dialplan({ directory, used, ratedPrefixes, reader }: TenantFacts, full: readonly string[]): string {
  const { slug } = directory.tenant
  const names = contexts(slug)
  const transferrer = `PJSIP/${endpointId(slug, '')}`
  const usual = settingsOf(directory, used, null)
  return [
    section(names.telephones, ['include => tl-dialled', ...hints(directory)]),
    section(names.start, [
      exten(
        DIALLED,
        // A call that a phone transfers remains its call, whichever channel continues it.
        `ExecIf($["\${TL_EXT}" = "" & "\${BLINDTRANSFER:0:${transferrer.length}}" = "${transferrer}"]?Set(TL_EXT=\${BLINDTRANSFER:${transferrer.length}:-9}))`,
        ...[`Set(TL_DIALLED=\${EXTEN})`, 'Set(TL_FREE=0)', ...usual],
        `Goto(${names.caller},e\${TL_EXT},1)`,
      ),
    ]),
    section(names.caller, [
      ...[...directory.extensions.values()].filter(mayRegister).map(extension => {
        const own = settingsOf(directory, used, extension).filter(step => !usual.includes(step))
        return exten(`e${extension.number}`, ...own, `Goto(${names.begin},\${TL_DIALLED},1)`)
      }),
      exten('_e!', refuse('unknown extension')),
    ]),
    section(names.begin, [
      exten(
        DIALLED,
        // The first half of a line, when it is transferred: the second half is counted already.
        `GotoIf($["\${${ON_LINE}}" != ""]?inside)`,
        `Set(GROUP(tl_tenant)=${caseless(slug)})`,
        `Set(GROUP(tl_extension)=${caseless(slug)}-\${TL_EXT})`,
        `(inside)Goto(${names.inside},\${EXTEN},1)`,
      ),
    ]),
    insideContexts(directory, full, reader),
    outsideContexts({
      directory,
      full,
      ratedPrefixes,
      unreadable: unreadableSteps(directory),
      spent: spentSteps(directory, used),
    }),
  ].join('')
}

const isDigits = (number: string): boolean => isFitNumber(number) && /^[0-9]+$/.test(number)

/**
 * Renders the hints that lamps watch: a pattern for each length, since very many hints are slow to load. It must admit
 * digits alone: what a telephone asks for is put into the name of a device, of which `&` would begin another.
 */
function hints({ tenant, extensions }: TenantDirectory): string[] {
  const lengths = new Set([...extensions.keys()].filter(isDigits).map(({ length }) => length))
  return [...lengths]
    .sort((one, other) => one - other)
    .map(length => `exten => _${'X'.repeat(length)},hint,PJSIP/${endpointId(tenant.slug, `\${EXTEN}`)}`)
}

const nobody: SwitchExtension = {
  ...{ id: 0, number: '', displayName: '', secret: '', status: '', hasVoicemail: false, devices: 1 },
}

/** Returns the settings of an extension's calls; null for those of one without its own limits, use and DIDs. */
function settingsOf(directory: TenantDirectory, used: UsedBy, extension: SwitchExtension | null): string[] {
  const { tenant, limits } = directory
  const { number, id } = extension ?? nobody
  const own = limits.extensions.get(number) ?? limits.extension
  const room = roomOf(own, used.extension(id))
  const seconds = [limits.tenant.maxSeconds ?? [], own.maxSeconds ?? []].flat()
  const { rated, spent } = contexts(tenant.slug)
  const callsOut = own.unreadable.length > 0 ? UNREADABLE : room.callsOut
  return [
    ...(isAnyExtensionCounted(directory.limits) ? [`Set(TL_CALLS=${room.calls})`, `Set(TL_OUT=${callsOut})`] : []),
    `Set(TL_LIMITS=${limits.extensions.has(number) ? [...limits.extensions.keys()].indexOf(number) + 1 : 0})`,
    `Set(TL_LENGTH=${seconds.length === 0 ? '' : `L(${Math.min(2_000_000, ...seconds) * 1000})`})`,
    `Set(TL_BOX=${extension?.hasVoicemail ? number : ''})`,
    `Set(TL_AFTER=${limits.tenant.ratedOnly || own.ratedOnly ? rated : spent})`,
    ...callersOf(directory, extension ?? nobody),
  ]
}

function fullSteps({ directory, used }: TenantFacts): string[] {
  const group = caseless(directory.tenant.slug)
  const { calls } = roomOf(directory.limits.tenant, used.tenant)
  return [
    ...(calls < NO_LIMIT ? [refuseIf(`$[\${GROUP_COUNT(${group}@tl_tenant)} > ${calls}]`, 'tenant full')] : []),
    ...(isAnyExtensionCounted(directory.limits)
      ? [refuseIf(`$[\${GROUP_COUNT(${group}-\${TL_EXT}@tl_extension)} > \${TL_CALLS}]`, 'extension full')]
      : []),
  ]
}

/** The outgoing calls of an extension whose limits cannot be read. */
const UNREADABLE = -1

function unreadableSteps({ limits }: TenantDirectory): string[] {
  if (limits.tenant.unreadable.length > 0) return [refuse('limit unreadable')]
  const isAny = extensionLimits(limits).some(({ unreadable }) => unreadable.length > 0)
  return isAny ? [refuseIf(`$[\${TL_OUT} < 0]`, 'limit unreadable')] : []
}

/** Refuses a call if it, those in progress and those that have ended since are too many; notes its own end otherwise. */
function spentSteps({ tenant, limits }: TenantDirectory, used: UsedBy): string[] {
  const group = caseless(tenant.slug)
  const { callsOut } = roomOf(limits.tenant, used.tenant)
  const [byTenant, byExtension] = [endedBy(tenant.id), endedBy(tenant.id, `\${TL_EXT}`)]
  const isTenantMetered = isMetered(limits.tenant)
  const isExtensionMetered = extensionLimits(limits).some(isMetered)
  const and = (isCounted: boolean, by: string): string => (isCounted ? ` + ${endedCount(by)}` : '')
  return [
    ...(isAnyExtensionCounted(limits)
      ? [
          refuseIf(
            `$[\${GROUP_COUNT(${group}-\${TL_EXT}@tl_out_extension)}${and(isExtensionMetered, byExtension)} > \${TL_OUT}]`,
            'extension spent',
          ),
        ]
      : []),
    // Not before: a telephone whose calls are refused again and again would take the places of others.
    `Set(GROUP(tl_out)=${group})`,
    ...(callsOut < NO_LIMIT
      ? [refuseIf(`$[\${GROUP_COUNT(${group}@tl_out)}${and(isTenantMetered, byTenant)} > ${callsOut}]`, 'tenant spent')]
      : []),
    ...costSteps(limits, byTenant, byExtension, contexts(tenant.slug).spent),
    ...(isTenantMetered ? [noteEnd(byTenant)] : []),
    ...(isExtensionMetered ? [noteEnd(byExtension)] : []),
  ]
}

/** What a call has cost is not known before its record is there: until then, the next one waits if cost is limited. */
function costSteps(limits: LimitSettings, byTenant: string, byExtension: string, spent: string): string[] {
  if (isOnCost(limits.tenant)) return waitForRecords(byTenant, spent)
  return extensionLimits(limits).some(isOnCost) ? waitForRecords(byExtension, spent) : []
}

const STRATEGIES = new Map([['roundrobin', 'rrmemory']])
const KNOWN = ['ringall', 'leastrecent', 'fewestcalls', 'random', 'rrmemory', 'rrordered', 'linear', 'wrandom']
/** Seconds that one agent rings. */
const AGENT_RINGS = 20

function queues(directory: TenantDirectory): string {
  const { slug } = directory.tenant
  const each = ({ number, strategy }: SwitchQueue): string => {
    const found = STRATEGIES.get(strategy) ?? (KNOWN.includes(strategy) ? strategy : 'ringall')
    const agents = insideTargets(directory, [{ type: 'queue', number }]).flatMap(target =>
      target.to === 'queue' ? target.agents : [],
    )
    return section(queueName(slug, number), [
      `strategy = ${found}`,
      ...[`timeout = ${AGENT_RINGS}`, 'retry = 2', 'ringinuse = no', 'musicclass = default'],
      ...agents
        .filter(({ extension }) => mayRegister(extension))
        .map(({ extension, penalty }) => `member => PJSIP/${endpointId(slug, extension.number)},${penalty}`),
    ])
  }
  return [...directory.queues.values()]
    .filter(({ number, status }) => isActive(status) && isFitNumber(number))
    .map(each)
    .join('')
}

function voicemail({ tenant, extensions }: TenantDirectory): string {
  const boxes = [...extensions.values()].filter(extension => extension.hasVoicemail && mayRegister(extension))
  if (boxes.length === 0) return ''
  // A mailbox opens to its own phone; without a PIN of at least four digits, to no other.
  const lines = boxes.map(({ number, displayName }) => `${number} => -,${cleanName(displayName)}`)
  return section(contexts(tenant.slug).voicemail, lines)
}
