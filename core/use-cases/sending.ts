import { invalid } from '../errors.ts'
import type { Records } from '../ports/records.ts'
import { mergeErrors } from '../resources/field-errors.ts'
import { asBody, parseMembers } from '../resources/input.ts'
import { type Row, resource, type Values } from '../resources/resource.ts'
import { sendFields } from '../resources/sms-messages.ts'
import type { TextForm } from '../sms/text.ts'
import { refusal, type Way } from '../sms/way.ts'

export type SendRequest = Values<typeof sendFields>

const sendRequest = resource({ name: 'sms_messages', label: 'SMS message', fields: sendFields })

/** Reads a request to send. Throws `invalid`. */
export async function acceptSend(records: Records, body: unknown): Promise<SendRequest> {
  const { values, errors } = parseMembers(sendFields, asBody(body), 'create')
  const problems = mergeErrors(sendRequest, errors, await records.violations(sendRequest, values))
  if (problems.length > 0) throw invalid(problems)
  return values as Row as SendRequest
}

/** Throws `invalid` for a text that would not arrive as it was written. */
export function assertCarried(way: Way, { message }: SendRequest, form: TextForm): void {
  const reason = refusal(way, message, form)
  if (reason !== null) throw invalid([{ rule: 'max', field: 'message', sentence: `The message ${reason}.` }])
}
