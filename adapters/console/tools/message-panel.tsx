import { useSignal } from '@preact/signals'
import { stringifyJson } from '../../../core/json.ts'
import { smsMessages } from '../../../core/resources/sms-messages.ts'
import { classOf } from '../../../core/sms/status-class.ts'
import { Dialog } from '../parts/dialog.tsx'
import { asRecord, type RecordData, Refusal, request } from '../state/api.ts'
import { go } from '../state/location.ts'
import { note, noteTrouble } from '../state/notes.ts'
import { may } from '../state/session.ts'
import { momentShown } from '../state/shown.ts'
import { useEvery } from './dashboard.tsx'

const LOOK_EVERY_MS = 2_000

/** Shows the progress of a message until it is final, the gateway's answer, and how to send it again. */
export function MessagePanel({ record }: { record: RecordData }) {
  const message = useSignal(record)
  const isUncertain = useSignal(false)
  const { delivery_status, error_message, remote_response } = message.value
  const meaning = classOf(String(delivery_status))
  useEvery(LOOK_EVERY_MS, () => {
    if (meaning === 'delivered' || meaning === 'failed') return
    request('GET', `/api/console/records/sms-messages/${record.id}`)
      .then(({ data }) => {
        message.value = asRecord(data)
      })
      .catch(() => {})
  })
  const resend = async (force: boolean): Promise<void> => {
    isUncertain.value = false
    try {
      const { data, message: said } = await request('POST', `/api/console/messages/${record.id}/resend`, {
        json: { force },
      })
      note(said)
      go(`/sms-messages/${asRecord(data).id}`)
    } catch (error) {
      if (error instanceof Refusal && error.status === 409 && meaning === 'unknown' && !force) isUncertain.value = true
      else noteTrouble(error)
    }
  }
  return (
    <section class="panel" aria-label="What became of it">
      <h2>What became of it</h2>
      <Steps message={message.value} />
      {error_message ? <p class="error">{String(error_message)}</p> : null}
      {remote_response !== null && remote_response !== undefined && (
        <details>
          <summary>What the gateway answered</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
          <pre class="raw" tabIndex={0}>
            {stringifyJson(remote_response, 2)}
          </pre>
        </details>
      )}
      {may('send', smsMessages) && (meaning === 'failed' || meaning === 'unknown' || meaning === null) && (
        <div class="actions">
          <button type="button" onClick={() => void resend(false)}>
            Send it again
          </button>
        </div>
      )}
      {isUncertain.value && (
        <Dialog title="Send it all the same?" onClose={() => (isUncertain.value = false)}>
          <p>The outcome of this message is unknown. If it arrived, sending it again delivers it twice.</p>
          <div class="actions">
            <button type="button" class="danger" onClick={() => void resend(true)}>
              Send it again
            </button>
            <button type="button" onClick={() => (isUncertain.value = false)}>
              Leave it
            </button>
          </div>
        </Dialog>
      )}
    </section>
  )
}

/** The progress of a message: each step with its time, or that it is pending. */
export function Steps({ message }: { message: RecordData }) {
  const { requested_at, submitted_at, delivered_at, delivery_status } = message
  const meaning = classOf(String(delivery_status))
  const isOver = meaning === 'failed' || meaning === 'unknown'
  const steps = [
    ['Queued', requested_at],
    ['Submitted', submitted_at],
    ['Receipt', delivered_at],
  ] as const
  return (
    <ol class="way" aria-live="polite">
      {steps.map(([title, at]) => (
        <li key={title} class={at ? 'done' : ''}>
          <b>{title}</b> <span class="hint">{at ? momentShown(at) : isOver ? 'none' : 'waiting…'}</span>
        </li>
      ))}
      <li class={meaning ?? ''}>
        <b>{String(delivery_status)}</b>
      </li>
    </ol>
  )
}
