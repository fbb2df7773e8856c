import type { Submission } from '../../../core/sms/submission.ts'

/** A request as a gateway without a profile gets it, with the given `changes`. */
export const submissionTo = (url: string, changes: Partial<Submission> = {}): Submission => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json' },
  body: '{}',
  basic: { username: 'u', password: 'p' },
  caFile: null,
  ...changes,
})
