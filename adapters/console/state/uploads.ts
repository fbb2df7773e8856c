import { signal } from '@preact/signals'
import { Refusal, request, Unreached } from './api.ts'
import { objectOf } from './load.ts'

/** The size of a part: after a lost connection, sending resumes with the part that failed. */
const PART = 1024 * 1024
const PAUSE_MS = 2_000

export interface Sending {
  readonly id: number
  readonly name: string
  readonly bytes: number
  readonly sent: number
  /** waiting: the service cannot be reached; the upload continues once it can. */
  readonly state: 'sending' | 'waiting' | 'done' | 'failed'
  readonly failure: string | null
}

/** The uploads of this page, which continue on every screen. */
export const sendings = signal<ReadonlyMap<number, Sending>>(new Map())

const note = (id: number, change: Partial<Sending>): void => {
  const found = sendings.value.get(id)
  if (found) sendings.value = new Map(sendings.value).set(id, { ...found, ...change })
}

const offsetIn = (data: unknown): number => Number(objectOf(data)['offset'])

/** Returns how much of an upload the service has; null if it does not know the upload. */
export async function uploadKept(id: number): Promise<Omit<Sending, 'state' | 'failure'> | null> {
  try {
    const data = objectOf((await request('GET', `/api/console/uploads/${id}`)).data)
    return { id, name: String(data['name']), bytes: Number(data['bytes']), sent: offsetIn(data) }
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null
    throw error
  }
}

/** Starts to send a file, or resumes an earlier upload of it; returns the id of the upload at once. */
export async function send(file: File, earlier: number | null): Promise<number> {
  const kept = earlier === null ? null : await uploadKept(earlier)
  const isSame = kept !== null && kept.name === file.name && kept.bytes === file.size
  const id = isSame ? kept.id : await begin(file)
  const started: Sending = {
    ...{ id, name: file.name, bytes: file.size, sent: isSame ? kept.sent : 0 },
    state: 'sending',
    failure: null,
  }
  sendings.value = new Map(sendings.value).set(id, started)
  void sendRest(file, id, started.sent).catch((error: Error) => note(id, { state: 'failed', failure: error.message }))
  return id
}

async function begin({ name, size }: File): Promise<number> {
  const { data } = await request('POST', '/api/console/uploads', { json: { name, bytes: size } })
  return Number(objectOf(data)['id'])
}

async function sendRest(file: File, id: number, from: number): Promise<void> {
  let at = from
  while (at < file.size) {
    at = await sendPart(file, id, at)
    note(id, { sent: at, state: 'sending' })
  }
  note(id, { state: 'done' })
}

/** Returns how many bytes the service has afterwards. */
async function sendPart(file: File, id: number, at: number): Promise<number> {
  try {
    const { data } = await request('PATCH', `/api/console/uploads/${id}`, {
      body: file.slice(at, at + PART),
      headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(at) },
    })
    return offsetIn(data)
  } catch (error) {
    const isLost =
      error instanceof Unreached || (error instanceof Refusal && error.status >= 500 && error.status !== 507)
    const isElsewhere = error instanceof Refusal && error.status === 409
    if (!isLost && !isElsewhere) throw error
    if (isLost) {
      note(id, { state: 'waiting' })
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
    const kept = await uploadKept(id).catch(() => undefined)
    if (kept === null) throw new Error('The service no longer has the upload: choose the file again.')
    return kept?.sent ?? at
  }
}
