import type { Logger } from 'pino'
import { SUSPECT_AFTER } from '../../../core/sms/health.ts'
import { suspectGateways } from '../../../core/use-cases/messaging/sms-health.ts'
import type { Trunkline } from '../../compose.ts'

/**
 * Returns a function that reports when sends through a gateway begin to fail in a row, and when they succeed again,
 * each time it is called.
 */
export function noteSuspects({ storage }: Pick<Trunkline, 'storage'>, log: Logger): () => Promise<void> {
  let earlier: readonly number[] = []
  return async () => {
    const suspects = await suspectGateways(storage)
    for (const gateway of suspects)
      if (!earlier.includes(gateway))
        log.warn({ gateway }, `the last ${SUSPECT_AFTER} sends through an SMS gateway failed`)
    for (const gateway of earlier)
      if (!suspects.includes(gateway)) log.info({ gateway }, 'an SMS gateway takes messages again')
    earlier = suspects
  }
}
