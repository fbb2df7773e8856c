import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '../../../core/errors.ts'
import type { SwitchLookups } from '../../../core/ports/switching/lookups.ts'
import type { Changed, SwitchDirectory, SwitchFollower } from '../../../core/ports/switching.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import { keepConnected } from '../../../core/switching/keep-connected.ts'
import { type EventSocket, type EventSocketPlace, openEventSocket } from '../socket/event-socket.ts'
import { activeTrunks } from '../trunks.ts'
import { type KnownTenant, knownOf } from './known.ts'
import { type BetweenLooks, keepLooking } from './looking.ts'
import { agreeCalls, agreeGateways, agreePhones, agreeQueues, type Commands } from './pushes.ts'

export interface FollowerParts {
  readonly place: EventSocketPlace
  readonly directory: SwitchDirectory
  readonly lookups: Pick<SwitchLookups, 'shown' | 'ended'>
  readonly key: string
  /** Called when the connection has failed and is retried; with an error that repeats only once. */
  onTrouble(error: unknown): void
  /** Called for each command that FreeSWITCH refuses. */
  onCommandRefused(command: string, answer: string): void
}

const BETWEEN_LOOKS: BetweenLooks = { busyMs: 1_000, idleMs: 5_000 }

/** Sends a FreeSWITCH what it does not request itself, on one connection that is reopened when it ends. */
export function freeswitchFollower(parts: FollowerParts, between: BetweenLooks = BETWEEN_LOOKS): SwitchFollower {
  const { place, directory, lookups, key, onTrouble, onCommandRefused } = parts
  let socket: EventSocket | null = null
  let knownTenants: ReadonlyMap<number, KnownTenant> = new Map()

  const ask: Commands['ask'] = async command => {
    if (!socket) throw new AppError('unavailable', 'FreeSWITCH is not connected.')
    return socket.api(command)
  }
  const tell: Commands['tell'] = async command => {
    const answer = await ask(command)
    if (answer.startsWith('-')) onCommandRefused(command, answer.trim())
  }
  return {
    kind: 'freeswitch',
    run: async (onDue, signal) => {
      const end = (): void => socket?.close()
      signal.addEventListener('abort', end)
      const use = async (): Promise<void> => {
        try {
          socket = await openEventSocket(place)
          if (!signal.aborted) onDue('all')
          await keepLooking(socket, { ...between, lookups, onTrouble }, signal)
        } finally {
          socket?.close()
          socket = null
        }
      }
      const wait = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
      await keepConnected(use, { onTrouble, pause: wait }, signal)
      signal.removeEventListener('abort', end)
    },
    // Everything else is asked for when it is needed.
    state: () => ({ isConnected: socket !== null, pending: [] }),
    reconcile: async changed => {
      const { tenants: present, first } = await lookAt(directory, knownTenants, changed)
      const isAll = changed === 'all'
      const tenants = [...present].map(([id, is]) => ({ was: knownTenants.get(id) ?? null, is }))
      const commands = { ask, tell }
      await agreeCalls(commands, { tenants, isAll })
      await agreePhones(commands, { tenants, isAll })
      await agreeQueues(commands, { tenants, isAll })
      await agreeGateways(commands, activeTrunks(first), key)
      knownTenants = new Map(
        [...knownTenants, ...present].flatMap(([id, tenant]) => (tenant ? [[id, tenant] as const] : [])),
      )
    },
  }
}

interface Looked {
  /** By id; null for a deleted one. */
  readonly tenants: ReadonlyMap<number, KnownTenant | null>
  /** The directory of any tenant, for what belongs to none; null if there is none. */
  readonly first: TenantDirectory | null
}

async function lookAt(
  directory: SwitchDirectory,
  knownTenants: ReadonlyMap<number, KnownTenant>,
  changed: Changed,
): Promise<Looked> {
  const tenants = new Map<number, KnownTenant | null>()
  let first: TenantDirectory | null = null
  const isKnown = changed !== 'all' && changed.size > 0 && [...changed].every(id => knownTenants.has(id))
  const found = isKnown
    ? ofSlugs(
        directory,
        [...changed].map(id => knownTenants.get(id)?.slug ?? ''),
      )
    : directory.all()
  for await (const each of found) {
    first ??= each
    if (changed === 'all' || changed.has(each.tenant.id)) tenants.set(each.tenant.id, knownOf(each))
  }
  const missing = [...(changed === 'all' ? knownTenants.keys() : changed)].filter(id => !tenants.has(id))
  // It has another slug now, or is gone.
  if (isKnown && missing.length > 0) return lookAt(directory, new Map(), changed)
  for (const id of missing) tenants.set(id, null)
  return { tenants, first }
}

async function* ofSlugs(directory: SwitchDirectory, slugs: readonly string[]): AsyncIterable<TenantDirectory> {
  for (const slug of slugs) {
    const found = await directory.whole(slug)
    if (found) yield found
  }
}
