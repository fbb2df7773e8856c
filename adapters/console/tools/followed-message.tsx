import { type Signal, useSignal } from '@preact/signals'
import { classOf } from '../../../core/sms/status-class.ts'
import { asRecord, get, type RecordData } from '../state/api.ts'
import { useEvery } from '../state/load.ts'
import { momentShown } from '../state/shown.ts'

const LOOK_EVERY_MS = 2_000

/** A message, read again until its state is final. */
export function useFollowedMessage(record: RecordData): Signal<RecordData> {
  const message = useSignal(record)
  useEvery(LOOK_EVERY_MS, () => {
    const meaning = classOf(String(message.value['delivery_status']))
    if (meaning === 'delivered' || meaning === 'failed') return
    get(`/api/console/records/sms-messages/${record.id}`)
      .then(data => {
        message.value = asRecord(data)
      })
      .catch(() => {})
  })
  return message
}

/** The progress of a message: each step with its time, or that it is pending. */
export function MessageSteps({ message }: { message: RecordData }) {
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
