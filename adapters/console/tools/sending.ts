import { useMemo } from 'preact/hooks'
import { CreatingOnce, type Written } from '../state/once.ts'

/** The parts of a message that tell whether it is the one that was sent. */
const SAME = ['to_number', 'from_sender', 'message'] as const

/** Sends messages, each once. */
export class Sending {
  readonly #creating = new CreatingOnce()
  /** True while it is not known whether the last message was sent. */
  readonly isUnsure = this.#creating.isUnsure

  /** Sends the message by a POST to that path. */
  send(message: Readonly<Record<string, unknown>>, path: string, json: unknown): Promise<Written> {
    return this.#creating.create({
      list: '/api/console/records/sms-messages',
      filter: { 'filter[to_number]': String(message['to_number']) },
      path,
      json,
      isSame: record => SAME.every(name => record[name] === message[name]),
      found: 'It was sent before the connection was lost.',
    })
  }
}

export const useSending = (): Sending => useMemo(() => new Sending(), [])

/** What to show beside the button while `isUnsure`. */
export const UNSURE = 'It is not known whether the message was sent. The next try looks first whether it was.'
