import { type Signal, useSignal } from '@preact/signals'
import { asRecord, asRecords, get, type RecordData, request, Unreached } from '../state/api.ts'

const MESSAGES = '/api/console/records/sms-messages'
/** The parts of a message that tell whether it is the one that was sent. */
const SAME = ['to_number', 'from_sender', 'message'] as const

type Message = Readonly<Record<string, unknown>>

/** Returns the newest messages, or those to a number, latest first. */
const newest = async (limit: number, filter: Readonly<Record<string, string>> = {}): Promise<RecordData[]> =>
  asRecords(await get(`${MESSAGES}?${new URLSearchParams({ ...filter, sort: '-id', limit: String(limit) })}`))

async function sentSince(id: number, message: Message): Promise<RecordData | undefined> {
  const sent = await newest(20, { 'filter[to_number]': String(message['to_number']) })
  return sent.find(each => each.id > id && SAME.every(name => each[name] === message[name]))
}

export interface Sent {
  readonly record: RecordData
  /** What to say about it. */
  readonly outcome: string
}

export interface Sending {
  /** True while it is not known whether the last message was sent. */
  readonly isUnsure: Signal<boolean>
  /**
   * Sends a message by a request to that path. If the answer of the last one was lost, first looks whether it was
   * sent, and does not repeat it then.
   */
  send(message: Message, path: string, json: unknown): Promise<Sent>
}

/** Sends messages, each once. */
export function useSending(): Sending {
  const isUnsure = useSignal(false)
  const before = useSignal(0)
  const send = async (message: Message, path: string, json: unknown): Promise<Sent> => {
    const found = isUnsure.value ? await sentSince(before.value, message) : undefined
    if (!isUnsure.value) before.value = (await newest(1))[0]?.id ?? 0
    if (found) {
      isUnsure.value = false
      return { record: found, outcome: 'It was sent before the connection was lost.' }
    }
    try {
      const answer = await request('POST', path, { json })
      isUnsure.value = false
      return { record: asRecord(answer.data), outcome: answer.message }
    } catch (error) {
      isUnsure.value = error instanceof Unreached
      throw error
    }
  }
  return { isUnsure, send }
}

/** What to show beside the button while `isUnsure`. */
export const UNSURE = 'It is not known whether the message was sent. The next try looks first whether it was.'
