import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { sendFields, smsMessages } from '../../../core/resources/sms-messages.ts'
import { textForm } from '../../../core/sms/text.ts'
import { type Draft, FormField } from '../records/fields.tsx'
import { asRecord, type RecordData, Refusal, request } from '../state/api.ts'
import { noteTrouble } from '../state/notes.ts'
import { may } from '../state/session.ts'
import { Steps } from './message-panel.tsx'

/** Describes how a phone network will carry the text. */
function sizeShown(text: string): string {
  if (text === '') return ''
  const { alphabet, parts } = textForm(text)
  return `${parts} ${parts === 1 ? 'part' : 'parts'}, ${alphabet}`
}

const LOOK_EVERY_MS = 2_000
const SHOWN = Object.entries(sendFields).filter(([name]) => name !== 'callback_url')

/** Sends a message through the gateway, and watches its progress. */
export const SendPanel = ({ record }: { record: RecordData }) =>
  may('send', smsMessages) ? <Sending record={record} /> : null

function Sending({ record: gateway }: { record: RecordData }) {
  const draft = useSignal<Draft>({ from_sender: gateway['default_sender_id'] ?? '' })
  const errors = useSignal<Readonly<Record<string, readonly string[]>>>({})
  const sent = useSignal<RecordData | null>(null)
  const isSending = useSignal(false)
  const sentId = sent.value?.id
  useEffect(() => {
    if (sentId === undefined) return
    const timer = setInterval(() => {
      request('GET', `/api/console/records/sms-messages/${sentId}`)
        .then(({ data }) => {
          sent.value = asRecord(data)
        })
        .catch(() => {})
    }, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [sentId])
  const send = async (): Promise<void> => {
    errors.value = {}
    isSending.value = true
    try {
      const json = Object.fromEntries(Object.entries(draft.value).filter(([, value]) => value !== ''))
      sent.value = asRecord((await request('POST', `/api/sms-gateways/${gateway.id}/send`, { json })).data)
    } catch (error) {
      if (error instanceof Refusal && error.status === 422) errors.value = error.errors
      else noteTrouble(error)
    } finally {
      isSending.value = false
    }
  }
  return (
    <details class="panel">
      <summary>Send a message</summary>
      <form
        onSubmit={event => {
          event.preventDefault()
          void send()
        }}
        noValidate
      >
        <div class="fields">
          {SHOWN.map(([name, field]) => (
            <FormField
              key={name}
              name={name}
              field={field}
              draft={draft}
              errors={errors.value[name] ?? []}
              isStored={false}
            />
          ))}
        </div>
        <p class="hint" aria-live="polite">
          {sizeShown(String(draft.value['message'] ?? ''))}
        </p>
        <div class="actions">
          <button type="submit" class="primary" disabled={isSending.value}>
            Send
          </button>
        </div>
      </form>
      {sent.value && (
        <div>
          <p>
            <a href={`/sms-messages/${sent.value.id}`}>Message {sent.value.id}</a>
          </p>
          <Steps message={sent.value} />
          {sent.value['error_message'] ? <p class="error">{String(sent.value['error_message'])}</p> : null}
        </div>
      )}
    </details>
  )
}
