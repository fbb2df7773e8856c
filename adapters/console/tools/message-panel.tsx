import { useSignal } from '@preact/signals'
import { stringifyJson } from '../../../core/json.ts'
import { smsMessages } from '../../../core/resources/sms-messages.ts'
import { classOf } from '../../../core/sms/status-class.ts'
import { Confirmation } from '../parts/dialog.tsx'
import { type RecordData, Refusal } from '../state/api.ts'
import { go } from '../state/location.ts'
import { note, noteTrouble } from '../state/notes.ts'
import { may } from '../state/session.ts'
import { MessageSteps, useFollowedMessage } from './followed-message.tsx'
import { UNSURE, useSending } from './sending.ts'

/** Shows the progress of a message until it is final, the gateway's answer, and how to send it again. */
export function MessagePanel({ record }: { record: RecordData }) {
  const message = useFollowedMessage(record)
  const { error_message, remote_response } = message.value
  return (
    <section class="panel" aria-label="Delivery">
      <h2>Delivery</h2>
      <MessageSteps message={message.value} />
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
      {may('send', smsMessages) && <Resending message={message.value} />}
    </section>
  )
}

/** Sends a message again that failed or whose outcome is unknown: in the latter case after a question. */
function Resending({ message: resent }: { message: RecordData }) {
  const { id, delivery_status } = resent
  const sending = useSending()
  const isUncertain = useSignal(false)
  const meaning = classOf(String(delivery_status))
  const close = (): void => {
    isUncertain.value = false
  }
  const resend = async (force: boolean): Promise<void> => {
    close()
    try {
      const { record, outcome } = await sending.send(resent, `/api/console/messages/${id}/resend`, { force })
      note(outcome)
      go(`/sms-messages/${record.id}`)
    } catch (error) {
      if (error instanceof Refusal && error.status === 409 && meaning === 'unknown' && !force) isUncertain.value = true
      else noteTrouble(error)
    }
  }
  if (meaning === 'delivered' || meaning === 'pending') return null
  return (
    <>
      {sending.isUnsure.value && (
        <p class="trouble" role="status">
          {UNSURE}
        </p>
      )}
      <div class="actions">
        <button type="button" onClick={() => void resend(false)}>
          Send it again
        </button>
      </div>
      {isUncertain.value && (
        <Confirmation
          title="Send it all the same?"
          action="Send it again"
          refusal="Leave it"
          onConfirm={() => void resend(true)}
          onClose={close}
        >
          <p>The outcome of this message is unknown. If it arrived, sending it again delivers it twice.</p>
        </Confirmation>
      )}
    </>
  )
}
