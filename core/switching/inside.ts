import { isActive } from '../rating/deck.ts'
import { type Refused, refused, type SwitchAgent, type Target } from './decision.ts'
import type { SwitchDid, SwitchQueue, TenantDirectory } from './directory.ts'
import { isFitNumber } from './fit.ts'

/** An internal destination of a call. */
export type End = SwitchDid['targets'][number]

/** Seconds that a phone rings: if something else is tried afterwards, and if nothing is. */
const RINGS = 25
const RINGS_LAST = 60

/** Returns why a call cannot end there; null if it can. */
export function endRefusal({ tenant, extensions, queues }: TenantDirectory, { type, number }: End): Refused | null {
  const found = type === 'extension' ? extensions.get(number) : queues.get(number)
  if (!found)
    return refused(
      type === 'extension' ? 'unknown extension' : 'unknown queue',
      `tenant ${tenant.slug} has no ${type} ${number}`,
    )
  if (!isFitNumber(number)) return refused('unfit number', `no switch can call ${type} ${number}: it is not a number`)
  return isActive(found.status)
    ? null
    : refused(
        type === 'extension' ? 'extension not active' : 'queue not active',
        `${type} ${number} of tenant ${tenant.slug} is ${found.status}`,
      )
}

/** Returns the targets in order, followed by the voicemail of the first extension that has one. */
export function insideTargets(directory: TenantDirectory, ends: readonly End[]): Target[] {
  const { extensions, queues } = directory
  const mailbox = ends
    .flatMap(({ type, number }) => (type === 'extension' ? (extensions.get(number) ?? []) : []))
    .find(({ hasVoicemail }) => hasVoicemail)
  const reached = ends.flatMap(({ type, number }, index): Target[] => {
    const isLast = index === ends.length - 1 && !mailbox
    const extension = extensions.get(number)
    if (type === 'extension')
      return extension ? [{ to: 'extension', extension, rings: isLast ? RINGS_LAST : RINGS }] : []
    const queue = queues.get(number)
    return queue ? [{ to: 'queue', queue, agents: activeAgents(directory, queue) }] : []
  })
  return mailbox ? [...reached, { to: 'voicemail', extension: mailbox }] : reached
}

/** Returns the agents that a queue rings, lowest penalty first. */
export const activeAgents = ({ extensions }: TenantDirectory, queue: SwitchQueue): SwitchAgent[] =>
  queue.agents
    .flatMap(({ extension: number, penalty }): SwitchAgent[] => {
      const extension = extensions.get(number)
      return extension && isActive(extension.status) && isFitNumber(number) ? [{ extension, penalty }] : []
    })
    .toSorted((one, other) => one.penalty - other.penalty)
