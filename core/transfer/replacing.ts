import { momentIn } from '../calls/switch-time.ts'
import type { Replacement } from '../ports/bulk.ts'
import type { Records } from '../ports/records.ts'
import type { Clock } from '../ports/system.ts'
import { lowered, type Resource } from '../resources/resource.ts'
import { timeZoneOf } from '../use-cases/records/time-zone.ts'
import { optionFix, TransferFailure } from './failure.ts'
import type { Guide } from './guide.ts'
import type { ImportOptions } from './options.ts'
import type { Fixed } from './rows/evaluate.ts'

/** A deck that an import replaces, with what is shown about it. */
export interface Replacing extends Replacement {
  /** As given. */
  readonly tenant: string
  readonly timeZone: string
  /** True if the new deck takes effect in the past. */
  readonly isPast: boolean
}

const EXAMPLE = '2026-12-01T00:00'

/** Throws if the options of the mode replace make no sense. */
export function assertReplaceable(resource: Resource, options: ImportOptions, guide: Guide): void {
  const { mode, effective, tenant, onError, allowEmpty } = options
  const replace = guide.name('mode', 'replace')
  if (mode !== 'replace') {
    const option = effective !== undefined ? 'effective' : allowEmpty ? 'allowEmpty' : null
    if (option !== null)
      throw new TransferFailure(
        'usage',
        `${guide.name(option)} works only with ${replace}`,
        optionFix('mode', 'replace'),
      )
    return
  }
  if (resource.deckOf === undefined)
    throw new TransferFailure('usage', `${resource.plural} are not a deck, so ${replace} does not apply`)
  if (tenant === undefined)
    throw new TransferFailure(
      'usage',
      `${replace} needs ${guide.name('tenant')}, to say whose ${lowered(resource.plural)} to replace`,
    )
  if (onError === 'continue')
    throw new TransferFailure(
      'usage',
      `${replace} is all or nothing: with ${guide.name('onError', 'continue')}, the rates of bad rows would be deleted`,
      optionFix('onError', 'stop'),
    )
}

/** Returns what to replace, and when; null in every other mode. */
export async function replacingOf(
  { mode, effective }: ImportOptions,
  tenant: Fixed | null,
  { records, clock }: { readonly records: Pick<Records, 'find'>; readonly clock: Clock },
  guide: Guide,
): Promise<Replacing | null> {
  if (mode !== 'replace' || tenant === null) return null
  const tenantId = Number(tenant.value)
  const timeZone = await timeZoneOf(records, tenantId)
  const effectiveAt = effective === undefined ? null : momentIn(timeZone)(effective)
  if (effective !== undefined && effectiveAt === null)
    throw new TransferFailure(
      'usage',
      `${guide.name('effective')} must be a day, or a day and a time such as ${EXAMPLE}`,
      optionFix('effective', EXAMPLE),
    )
  const isPast = effectiveAt !== null && effectiveAt <= clock.now()
  return { tenantId, effectiveAt, tenant: tenant.named, timeZone, isPast }
}
