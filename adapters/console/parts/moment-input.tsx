import { useSignal } from '@preact/signals'
import { momentIn, wallClock } from '../../../core/calls/switch-time.ts'
import { parseDate } from '../../../core/dates.ts'

interface MomentInputProps {
  readonly id?: string
  readonly name?: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: boolean
  /** A moment in UTC, or what was typed if it is none. */
  readonly value: string
  readonly timeZone: string
  readonly onMoment: (moment: string) => void
}

/** A field for a moment by the clock of a zone; a text with a zone of its own is read by that one. */
export function MomentInput({ value, timeZone, onMoment, ...others }: MomentInputProps) {
  const typed = useSignal<string | null>(null)
  const moment = parseDate(value)
  return (
    <input
      {...others}
      autocomplete="off"
      value={typed.value ?? (moment === null ? value : wallClock(timeZone)(moment))}
      onInput={event => {
        const text = event.currentTarget.value
        typed.value = text
        onMoment(momentIn(timeZone)(text) ?? text)
      }}
      onBlur={() => {
        typed.value = null
      }}
    />
  )
}

export const momentHint = (timeZone: string): string => `In ${timeZone}, such as 2026-12-01 12:00.`
