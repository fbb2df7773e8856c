import type { Retention } from '../../core/ports/upkeep.ts'
import { cdrs } from '../../core/resources/cdrs.ts'
import { smsMessages } from '../../core/resources/sms-messages.ts'
import type { Journal, Tables } from './tables.ts'
import type { Trail } from './trail.ts'

export function retention(journal: Journal, tables: Tables, trail: Trail): Retention {
  const calls = tables.of(cdrs)
  const messages = tables.of(smsMessages)
  return {
    prepareMonths: async () => undefined,
    deleteBefore: async (what, moment, signal) =>
      journal.atomically(() => {
        if (signal?.aborted) return 0
        if (what === 'audit') return trail.forget(moment)
        const old = calls.entries().filter(([, { started_at }]) => String(started_at) < moment)
        for (const [id] of old) calls.delete(id)
        return old.length
      }),
    clearResponsesBefore: async (moment, signal) =>
      journal.atomically(() => {
        const old = messages
          .entries()
          .filter(([, { requested_at }]) => !signal?.aborted && String(requested_at) < moment)
          .filter(([, { remote_response }]) => remote_response !== '{}')
        for (const [id, row] of old) messages.set(id, { ...row, remote_response: '{}' })
        return old.length
      }),
  }
}
