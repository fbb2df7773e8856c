import { useSignal } from '@preact/signals'
import { sendFields, smsMessages } from '../../../core/resources/sms-messages.ts'
import { textForm } from '../../../core/sms/text.ts'
import { submitting } from '../parts/controls.tsx'
import { type Draft, FormFields } from '../records/fields.tsx'
import type { RecordData } from '../state/api.ts'
import { note } from '../state/notes.ts'
import { may } from '../state/session.ts'
import { useSubmission } from '../state/submission.ts'
import { MessageSteps, useFollowedMessage } from './followed-message.tsx'
import { UNSURE, useSending } from './sending.ts'

/** Describes how a phone network will carry the text. */
function sizeShown(text: string): string {
  if (text === '') return ''
  const { alphabet, parts } = textForm(text)
  return `${parts} ${parts === 1 ? 'part' : 'parts'}, ${alphabet}`
}

const { callback_url: _, ...SHOWN } = sendFields

/** Sends a message through the gateway, and watches its progress. */
export const SendPanel = ({ record }: { record: RecordData }) =>
  may('send', smsMessages) ? <Sending record={record} /> : null

function Sending({ record: gateway }: { record: RecordData }) {
  const draft = useSignal<Draft>({ from_sender: gateway['default_sender_id'] ?? '' })
  const sent = useSignal<RecordData | null>(null)
  const { errors, isBusy, submit } = useSubmission()
  const sending = useSending()
  const send = (): Promise<void> =>
    submit(async () => {
      sent.value = null
      const json = Object.fromEntries(Object.entries(draft.value).filter(([, value]) => value !== ''))
      const { record, outcome } = await sending.send(json, `/api/sms-gateways/${gateway.id}/send`, json)
      sent.value = record
      note(outcome)
    })
  return (
    <details class="panel">
      <summary>Send a message</summary>
      <form onSubmit={submitting(send)} noValidate>
        <div class="fields">
          <FormFields fields={SHOWN} draft={draft} errors={errors.value} isStored={false} />
        </div>
        <p class="hint" aria-live="polite">
          {sizeShown(String(draft.value['message'] ?? ''))}
        </p>
        {sending.isUnsure.value && (
          <p class="trouble" role="status">
            {UNSURE}
          </p>
        )}
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy.value}>
            Send
          </button>
        </div>
      </form>
      {sent.value && <Sent key={sent.value.id} message={sent.value} />}
    </details>
  )
}

function Sent({ message: sent }: { message: RecordData }) {
  const message = useFollowedMessage(sent)
  const { id, error_message } = message.value
  return (
    <div>
      <p>
        <a href={`/sms-messages/${id}`}>Message {id}</a>
      </p>
      <MessageSteps message={message.value} />
      {error_message ? <p class="error">{String(error_message)}</p> : null}
    </div>
  )
}
