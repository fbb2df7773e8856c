import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { ingest } from '../../../adapters/pbx/ingest.ts'
import { readRecord } from '../../../adapters/pbx/records.ts'
import type { SourceFormat } from '../../../core/calls/completed-call.ts'
import type { FeedRules } from '../../../core/calls/record-call.ts'
import type { Calls, IngestCounts, Retry } from '../../../core/ports/calls.ts'
import type { Storage } from '../../../core/ports/storage.ts'
import { manualClock } from '../clock.ts'
import { temporaryFolder } from '../http/app.ts'
import { emptyDatabase, opened } from '../storages.ts'
import { insert } from './rows.ts'
import { type StoredCall, storedCalls } from './stored-calls.ts'

export interface SwitchCall {
  readonly id?: string
  readonly accountcode?: string
  readonly from?: string
  readonly to?: string
  readonly context?: string
  /** The wall clock of the switch, to the second. */
  readonly start?: string
  readonly seconds?: number
  /** For the rows of one call, in Asterisk's format. */
  readonly sequence?: number
  /** The call that a row belongs to, also in Asterisk's format; its own by default. */
  readonly linkedId?: string
  readonly disposition?: string
}

const complete = (call: SwitchCall): Required<SwitchCall> => ({
  id: '1.1',
  accountcode: 'acme',
  from: '101',
  to: '00380501112233',
  context: 'from-internal',
  start: '2026-10-01 12:00:00',
  seconds: 65,
  sequence: 7,
  linkedId: call.id ?? '1.1',
  disposition: (call.seconds ?? 65) > 0 ? 'ANSWERED' : 'NO ANSWER',
  ...call,
})

const later = (start: string, seconds: number): string =>
  new Date(Date.parse(`${start.replace(' ', 'T')}Z`) + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

/** A row of Asterisk's `cdr_csv` with 21 columns, and its line end. */
export function asteriskRow(call: SwitchCall = {}): string {
  const { id, accountcode, from, to, context, start, seconds, sequence, linkedId, disposition } = complete(call)
  const answer = seconds > 0 ? later(start, 5) : ''
  const texts = [accountcode, from, to, context, `""Олена, x"" <${from}>`, 'SIP/1', 'SIP/2', 'Dial', 'SIP/2,60']
  const quoted = [...texts, start, answer, later(start, 5 + seconds)].map(text => `"${text}"`).join()
  return `${quoted},${5 + seconds},${seconds},"${disposition}","DOCUMENTATION","${id}","","","${linkedId}",${sequence}\n`
}

/** The same call as `cdr_custom` writes it. */
export function asteriskCustomRow(call: SwitchCall = {}): string {
  const { id, accountcode, from, to, context, start, seconds, sequence, disposition } = complete(call)
  const answer = seconds > 0 ? later(start, 5) : ''
  const texts = [`""Олена, x"" <${from}>`, from, to, context, 'SIP/1', 'SIP/2', 'Dial', 'SIP/2,60', start, answer]
  const rest = [
    later(start, 5 + seconds),
    5 + seconds,
    seconds,
    disposition,
    'DOCUMENTATION',
    accountcode,
    id,
    '',
    sequence,
  ]
  return `${[...texts, ...rest].map(text => `"${text}"`).join()}\n`
}

/** A row of FreeSWITCH's template `example`. */
export function freeswitchRow(call: SwitchCall = {}): string {
  const { id, accountcode, from, to, context, start, seconds } = complete(call)
  const answer = seconds > 0 ? later(start, 5) : ''
  const cause = seconds > 0 ? 'NORMAL_CLEARING' : 'NO_ANSWER'
  const texts = ['Ann', from, to, context, start, answer, later(start, 5 + seconds), 5 + seconds, seconds, cause]
  return `${[...texts, id, '', accountcode, 'PCMA', 'PCMU'].map(text => `"${text}"`).join()}\n`
}

/** The same call as `mod_json_cdr` writes it; its clock is UTC. */
export function freeswitchJson(call: SwitchCall = {}): string {
  const { id, accountcode, from, to, context, start, seconds } = complete(call)
  const micros = (text: string): string => `${Date.parse(`${text.replace(' ', 'T')}Z`)}000`
  const profile = { caller_id_number: from, destination_number: to, context, uuid: id }
  return JSON.stringify({
    variables: {
      ...{ uuid: id, accountcode, billsec: String(seconds), duration: String(5 + seconds) },
      ...{ hangup_cause: seconds > 0 ? 'NORMAL_CLEARING' : 'NO_ANSWER', start_uepoch: micros(start) },
      ...{ answer_uepoch: seconds > 0 ? micros(later(start, 5)) : '0', end_uepoch: micros(later(start, 5 + seconds)) },
    },
    callflow: [{ caller_profile: profile }],
  })
}

export function ndjsonRow(call: SwitchCall = {}): string {
  const { id, accountcode, from, to, context, start, seconds } = complete(call)
  const members = { id, accountcode, context, caller_number: from, destination_number: to, started_at: start }
  return `${JSON.stringify({ ...members, answered_seconds: seconds })}\n`
}

export const rules = (given: Partial<FeedRules> = {}): FeedRules => ({
  timezone: 'UTC',
  contexts: {},
  tenant: null,
  ...given,
})

/** Retries everything in quarantine together; returns how many records were stored. */
export async function replayed(calls: Calls): Promise<number> {
  const retries: Retry[] = []
  for await (const quarantined of calls.quarantine())
    retries.push({ quarantined, record: readRecord(quarantined.format, quarantined.record) })
  return calls.replay(retries)
}

export interface SwitchWorld {
  readonly folder: string
  readonly path: string
  /** The setting `db`. */
  readonly db: string
  readonly storage: Storage
  readonly tenantId: number
  readonly extensionId: number
  readonly rateId: number
  /** A file beside the database. */
  file(name: string): string
  /** The stored calls in the order of their numbers, with their ratings. */
  calls(): Promise<StoredCall[]>
  /** Reason and record of each quarantined record. */
  quarantine(): Promise<{ reason: string; record: string; seen: number }[]>
  close(): Promise<void>
}

/** A database with the tenant acme: extension 101, DID +380441234567, and 380 at 0.0123 by 60 seconds. */
export async function switchWorld(): Promise<SwitchWorld> {
  const { path: folder, remove } = temporaryFolder()
  const path = join(folder, 'test.db')
  const database = emptyDatabase(path)
  await database.ready
  const { db } = database
  const storage = await opened(db, manualClock())
  const { records } = storage
  const { id: tenantId } = await insert(records, 'tenants', { slug: 'acme' })
  const of = { tenant_id: tenantId }
  const { id: extensionId } = await insert(records, 'extensions', { ...of, extension_number: '101' })
  await insert(records, 'dids', { ...of, number: '+380441234567' })
  const { id: rateId } = await insert(records, 'rates', { ...of, prefix: '380', destination: 'Ukraine' })
  return {
    ...{ folder, path, db, storage, tenantId, extensionId, rateId },
    file: name => join(folder, name),
    calls: () => storedCalls(storage),
    quarantine: async () => {
      const found = []
      for await (const { reason, record, seen } of storage.calls.quarantine()) found.push({ reason, record, seen })
      return found
    },
    close: async () => {
      await storage.close()
      await database.release()
      remove()
    },
  }
}

/** Runs a test in a fresh world. */
export const inWorld = (test: (world: SwitchWorld) => Promise<void>) => async (): Promise<void> => {
  const world = await switchWorld()
  try {
    await test(world)
  } finally {
    await world.close()
  }
}

const LOOK_MS = 5
const GIVE_UP_MS = 20_000

/** Resolves once the condition holds; throws, naming it, if it never does. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`it never happened that ${what}`)
    await pause(LOOK_MS)
  }
}

/** Ingests text as a switch writes it. */
export const taken = (
  { storage }: Pick<SwitchWorld, 'storage'>,
  text: string,
  { format = 'auto', ...given }: { format?: SourceFormat | 'auto' } & Partial<FeedRules> = {},
): Promise<IngestCounts> =>
  ingest(Readable.from([Buffer.from(text)]), { feed: { name: '-', rules: rules(given) }, format }, storage.calls)

/** Ingests a call, and returns it as stored. */
export const stored = async (world: SwitchWorld, call: SwitchCall, given: Partial<FeedRules> = {}) => {
  await taken(world, asteriskRow(call), given)
  return (await world.calls()).find(({ switch_call_id }) => switch_call_id === `${call.id ?? '1.1'}/7`)
}

/** The row of the call with that number. */
export const numberedRow = (n: number): string => asteriskRow({ id: `1700000000.${String(n).padStart(4, '0')}` })
export const rowsFrom = (first: number, count: number): string =>
  Array.from({ length: count }, (_, i) => numberedRow(first + i)).join('')

/** The numbers of the stored calls. */
export const numbers = async ({ calls }: SwitchWorld): Promise<number[]> =>
  (await calls()).map(({ switch_call_id }) => Number(/\.(\d+)\//.exec(switch_call_id ?? '')?.[1]))
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)
