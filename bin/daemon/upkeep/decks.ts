import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Decks } from '../../../core/ports/decks.ts'
import type { Clock } from '../../../core/ports/system.ts'

/** Another process may import a deck at any time. */
const BETWEEN_LOOKS_MS = 1_000
const AFTER_TROUBLE_MS = 10_000

interface Surroundings {
  readonly decks: Decks
  readonly clock: Clock
  readonly log: Logger
}

/** Puts each deck in force at its moment, or at once if that passed while no daemon ran, until the signal aborts. */
export async function followDecks({ decks, clock, log }: Surroundings, signal: AbortSignal): Promise<void> {
  const step = async (): Promise<number> => {
    for (const { deck, ...changes } of await decks.putInForce()) {
      const { id, tenantId, effectiveAt, file } = deck
      log.info({ deck: id, tenant_id: tenantId, effective_at: effectiveAt, file, ...changes }, 'a deck took effect')
    }
    const next = await decks.nextMoment()
    return next === null ? BETWEEN_LOOKS_MS : millisecondsBetween(clock.now(), next)
  }
  while (!signal.aborted) {
    const delay = await step().catch(error => {
      log.error({ err: error }, 'a deck that is due could not be put in force')
      return AFTER_TROUBLE_MS
    })
    await pause(delay, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** Returns the time from now to a moment, at least 1 and at most until the next look. */
const millisecondsBetween = (now: string, moment: string): number =>
  Math.min(Math.max(Date.parse(moment) - Date.parse(now), 1), BETWEEN_LOOKS_MS)
