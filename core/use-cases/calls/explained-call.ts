import type { CallFacts, LiveCall, SwitchDirectory } from '../../ports/switching.ts'
import { decideCall } from '../../switching/decide-call.ts'
import { type CallDecision, type CallRequest, refused } from '../../switching/decision.ts'
import { callIndex } from '../../switching/in-progress.ts'

export interface ExplainedCall {
  /** Null if no tenant has the number that was called. */
  readonly facts: CallFacts | null
  readonly decision: CallDecision
}

/**
 * Decides on a call as a switch would, with the calls in progress. `slug` names its tenant; null if only the DID that
 * was called identifies it.
 */
export async function explainedCall(
  { switchDirectory }: { switchDirectory(): Pick<SwitchDirectory, 'forCall' | 'forDid'> },
  request: CallRequest,
  slug: string | null,
  calls: readonly LiveCall[],
): Promise<ExplainedCall> {
  const directory = switchDirectory()
  const live = callIndex(calls)
  const facts =
    slug === null
      ? await directory.forDid(request.dialled)
      : await directory.forCall(slug, request, { isExplained: true, live })
  const decision: CallDecision = facts
    ? decideCall(request, facts, live)
    : { ...refused('unknown DID', `no DID has the number ${request.dialled}`), steps: [] }
  return { facts, decision }
}
