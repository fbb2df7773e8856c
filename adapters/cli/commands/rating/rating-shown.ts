import type { JsonObject } from '../../../../core/json.ts'
import { numberRead } from '../../../../core/rating/number-read.ts'
import { isUnrated } from '../../../../core/rating/outcome.ts'
import { type UnratedNow, unratedNow } from '../../../../core/rating/unrated-now.ts'
import { cdrs } from '../../../../core/resources/cdrs.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { quoted } from '../../command-line.ts'
import type { Services } from '../../context.ts'
import { naming } from '../../naming/references.ts'

/** What is shown beside a call, and the command that shows more or fixes it. */
export interface RatingShown {
  readonly members: JsonObject
  readonly hint: string | null
}

/** Explains how the call was rated and why it is unrated, if it is: by the rates of its time, as they are now. */
export async function ratingShown({ records, calls }: Services, id: number): Promise<RatingShown> {
  const outcome = (await calls.ratings(id)).at(-1)?.outcome ?? null
  const call = await records.find(cdrs, id)
  if (!call || outcome === null || !isUnrated(outcome))
    return { members: { outcome, unrated: false, unrated_because: null }, hint: null }
  const tenantId = Number(call['tenant_id'])
  const [number, startedAt] = [String(call['destination_number']), String(call['started_at'])]
  const seconds = Number(call['duration_seconds'])
  const catalog = await calls.catalog(tenantId, startedAt)
  const now = unratedNow({ number, startedAt, seconds }, catalog)
  const slug = quoted(await naming(records)(tenants, tenantId))
  return {
    members: { outcome, unrated: true, unrated_because: because(now, numberRead(number, now.read, catalog.dialling)) },
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
