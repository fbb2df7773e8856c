import type { JsonObject } from '../../../../core/json.ts'
import type { UnratedNow } from '../../../../core/rating/unrated-now.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { currentOutcome } from '../../../../core/use-cases/calls/call-ratings.ts'
import { quoted } from '../../command-line.ts'
import type { Services } from '../../context.ts'
import { naming } from '../../naming/references.ts'

/** What is shown beside a call, and the command that shows more or fixes it. */
export interface RatingShown {
  readonly members: JsonObject
  readonly hint: string | null
}

/** Explains how the call was rated and why it is unrated, if it is: by the rates of its time, as they are now. */
export async function ratingShown(services: Services, id: number): Promise<RatingShown> {
  const { outcome, unrated } = await currentOutcome(services, id)
  if (unrated === null) return { members: { outcome, unrated: false, unrated_because: null }, hint: null }
  const { tenantId, number, startedAt, seconds, now, read } = unrated
  const slug = quoted(await naming(services.records)(tenants, tenantId))
  return {
    members: { outcome, unrated: true, unrated_because: because(now, read) },
    hint:
      now.kind === 'rated' || now.kind === 'free'
        ? `trunkline cdr rerate --tenant ${slug} --unrated --dry-run`
        : `trunkline rate quote --tenant ${slug} --seconds ${seconds} --at ${startedAt} -- ${quoted(number)}`,
  }
}

function because(now: UnratedNow, read: string): string {
  switch (now.kind) {
    case 'rated':
      return 'no rate matched when it was rated; one does now'
    case 'free':
      return 'no rate matched when it was rated; rated again, it costs nothing'
    case 'too large':
      return `by the rate of ${now.rate.prefix} its cost exceeds what an amount can hold`
    case 'no deck':
      return 'the rates of its time are no longer kept'
    case 'no match':
      return /matches it$/.test(read) ? read : `${read}, and no rate matches that`
  }
}
