import type { SwitchAgent } from '../../../core/switching/decision.ts'
import type { SwitchQueue, SwitchTenant } from '../../../core/switching/directory.ts'
import { phoneName, queueName } from '../names.ts'
import { documentOf, type Element, element, params } from './xml.ts'

/** A queue, with the agents that it rings. */
export interface RingingQueue {
  readonly tenant: SwitchTenant
  readonly queue: SwitchQueue
  readonly agents: readonly SwitchAgent[]
}

const STRATEGIES: Readonly<Record<string, string>> = {
  ringall: 'ring-all',
  roundrobin: 'round-robin',
  leastrecent: 'longest-idle-agent',
  fewestcalls: 'agent-with-fewest-calls',
  random: 'random',
}

/** Seconds that an agent's phone rings before the next one does. */
const RINGS = 15

/** Returns the configuration of these queues for mod_callcenter. */
export function callcenterDocument(queues: readonly RingingQueue[]): string {
  const agents = new Map<string, Element>()
  for (const { tenant, agents: own } of queues)
    for (const { extension } of own) {
      const name = phoneName(tenant, extension)
      // A leg that loses a ring-all would otherwise leave its own record, and one that is redirected go anywhere.
      const variables = `leg_timeout=${RINGS},process_cdr=false,outbound_redirect_fatal=true`
      const contact = `[${variables}]user/${extension.number}@${tenant.domain}`
      agents.set(name, element('agent', { name, contact, ...AGENT }))
    }
  return documentOf('configuration', [
    element('configuration', { name: 'callcenter.conf' }, [
      element('settings', {}, params({ 'truncate-tiers-on-load': 'true', 'truncate-agents-on-load': 'true' })),
      element('queues', {}, queues.map(queueElement)),
      element('agents', {}, [...agents.values()]),
      element('tiers', {}, queues.flatMap(tierElements)),
    ]),
  ])
}

const AGENT = {
  type: 'callback',
  status: 'Available',
  'max-no-answer': '0',
  'wrap-up-time': '1',
  'reject-delay-time': '5',
  'busy-delay-time': '5',
}

const queueElement = ({ tenant, queue }: RingingQueue): Element =>
  element(
    'queue',
    { name: queueName(tenant, queue) },
    params({
      strategy: STRATEGIES[queue.strategy] ?? 'ring-all',
      'moh-sound': 'silence_stream://-1',
      'max-wait-time': String(queue.timeout),
      'max-wait-time-with-no-agent': String(queue.timeout),
      'tier-rules-apply': 'false',
      'abandoned-resume-allowed': 'false',
    }),
  )

/** The tiers of a queue: its agents, such as `101@acme`, with their levels, 1 for the lowest penalty. */
export const tiersOf = ({ tenant, agents }: Pick<RingingQueue, 'tenant' | 'agents'>) =>
  agents.map(({ extension, penalty }, index) => ({
    agent: phoneName(tenant, extension),
    level: String(penalty + 1),
    position: String(index + 1),
  }))

const tierElements = (ringing: RingingQueue): Element[] =>
  tiersOf(ringing).map(tier => element('tier', { ...tier, queue: queueName(ringing.tenant, ringing.queue) }))
