import type { FreeswitchDecided, FreeswitchRequests } from '../../adapters/freeswitch/freeswitch.ts'
import { limitedIn } from '../../core/use-cases/calls/limit-watch.ts'
import type { Serving } from '../serving.ts'

type Noting = Pick<Serving, 'log' | 'decided' | 'onLimit'>

/** Counts and logs decisions, and notes the limits that refuse calls. */
export const noteDecision =
  ({ log, onLimit, decided: count }: Noting): FreeswitchDecided =>
  (decided, directory) => {
    const { what, asked, refusal } = decided
    count({ what, refusal: refusal?.refusal ?? 'none' })
    if (!refusal) return
    log.info({ what, ...asked, refusal: refusal.refusal, reason: refusal.reason }, 'refused on the switch')
    const last = decided.what === 'call' && refusal.refusal === 'limit reached' ? decided.steps.at(-1) : undefined
    if (directory && last?.kind === 'limit') onLimit(limitedIn(directory, last.of), last)
  }

/** Counts and logs requests that are refused, and logs failed ones. */
export const noteRequests = ({
  log,
  decided,
}: Pick<Noting, 'log' | 'decided'>): Pick<FreeswitchRequests, 'onRefused' | 'onFailure'> => ({
  onRefused: (why, address) => {
    decided({ what: 'request', refusal: why })
    log.warn({ why, address }, 'a request of FreeSWITCH was refused')
  },
  onFailure: err => log.error({ err }, 'a request of FreeSWITCH could not be answered'),
})
