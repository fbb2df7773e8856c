/** What a provider's word for a message's state means. `unknown` is final: no more will become known. */
export const STATUS_CLASSES = ['delivered', 'failed', 'pending', 'unknown'] as const
export type StatusClass = (typeof STATUS_CLASSES)[number]

/** Words by class, in lower case; a trailing `*` matches every word that begins so. */
export type StatusTable = { readonly [C in StatusClass]?: readonly string[] | undefined }

/** The words of SMPP and of this service, for gateways without a profile. */
const COMMON_STATUSES: StatusTable = {
  delivered: ['delivered', 'delivrd', 'read'],
  failed: [
    'failed',
    'undeliv',
    'undelivered',
    'undeliverable',
    'expired',
    'deleted',
    'rejected',
    'rejectd',
    'canceled',
    'cancelled',
    'aborted',
  ],
  pending: [
    'queued',
    'pending',
    'submitted',
    'accepted',
    'acceptd',
    'enroute',
    'buffered',
    'sent',
    'sending',
    'scheduled',
    'esme_rok',
  ],
}

/** Returns a word's class; null if no table has it. */
export function classOf(word: string, table: StatusTable = COMMON_STATUSES): StatusClass | null {
  const status = word.toLowerCase()
  for (const each of STATUS_CLASSES) if (table[each]?.includes(status)) return each
  for (const each of STATUS_CLASSES)
    if (table[each]?.some(entry => entry.endsWith('*') && status.startsWith(entry.slice(0, -1)))) return each
  return null
}
