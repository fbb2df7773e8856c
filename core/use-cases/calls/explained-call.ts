import type { CallFacts, LiveCall, SwitchDirectory } from '../../ports/switching.ts'
import { decideCall, trunkOfDid } from '../../switching/decide-call.ts'
import { type CallDecision, type CallRequest, refused } from '../../switching/decision.ts'
import { callIndex } from '../../switching/in-progress.ts'

export interface ExplainedCall {
  /** Null if no tenant has the number that was called. */
  readonly facts: CallFacts | null
  /** As it was decided on: a call to a DID without a trunk comes from the one that must bring it. */
  readonly request: CallRequest
  readonly decision: CallDecision
}

/**
 * Decides on a call as a switch would, with the calls in progress. `slug` names its tenant; null if only the DID that
 * was called identifies it.
 */
export async function explainedCall(
  { switchDirectory }: { switchDirectory(): Pick<SwitchDirectory, 'forCall' | 'forDid'> },
  asked: CallRequest,
  slug: string | null,
  calls: readonly LiveCall[],
): Promise<ExplainedCall> {
  const directory = switchDirectory()
  const live = callIndex(calls)
  const facts =
    slug === null
      ? await directory.forDid(asked.dialled)
      : await directory.forCall(slug, asked, { isExplained: true, live })
  const request =
    facts && asked.from === 'trunk' && asked.trunk === null
      ? { ...asked, trunk: trunkOfDid(facts.directory, asked.dialled) }
      : asked
  const decision: CallDecision = facts
    ? decideCall(request, facts, live)
    : { ...refused('unknown DID', `no DID has the number ${request.dialled}`), steps: [] }
  return { facts, request, decision }
}
