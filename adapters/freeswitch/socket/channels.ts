import { formatTimestamp, type Timestamp } from '../../../core/dates.ts'
import { AppError } from '../../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../../core/json.ts'
import type { LiveCall } from '../../../core/ports/switching.ts'

/** The commands for the tables that are read here. */
export const SHOW_CHANNELS = 'show channels as json'
/**
 * For the profile that phones register on. Unlike `show registrations` it is up to date, and includes the user agents.
 */
export const SHOW_REGISTRATIONS = 'sofia status profile internal reg'

/** A channel: one leg of a call. */
export interface Channel {
  readonly id: string
  /** The id of the call's first leg. */
  readonly call: string
  readonly isAnswered: boolean
  readonly startedAt: Timestamp
  readonly caller: string
  readonly dialled: string
  /** What the dialplan has set; null for a leg to a phone, and for one that is being decided. */
  readonly mark: Mark | null
}

interface Mark {
  readonly tenant: string
  readonly direction: LiveCall['direction']
  readonly extension: string | null
  readonly trunk: string | null
  readonly number: string
}

/** UNHELD is a leg after a hold, until FreeSWITCH has sent it something. */
const ANSWERED = ['ACTIVE', 'HELD', 'UNHELD']

const MARK = /^trunkline:([^:]+):(internal|inbound|outbound):([^:]*):([^:]*):([^:]*)$/

/** Returns the channels in an answer to {@link SHOW_CHANNELS}. Throws `unavailable` for any other answer. */
export const channelsIn = (answer: string): readonly Channel[] => rowsIn(answer).map(channelOf)

function channelOf(row: JsonObject): Channel {
  const id = text(row, 'uuid')
  return {
    id,
    call: text(row, 'call_uuid') || id,
    isAnswered: ANSWERED.includes(text(row, 'callstate')),
    startedAt: fromEpoch(text(row, 'created_epoch')),
    caller: text(row, 'initial_cid_num') || text(row, 'cid_num'),
    dialled: text(row, 'initial_dest') || text(row, 'dest'),
    mark: markIn(text(row, 'presence_data')),
  }
}

function markIn(written: string): Mark | null {
  const [, tenant = '', direction, extension, trunk, number] = MARK.exec(written) ?? []
  if (direction !== 'internal' && direction !== 'inbound' && direction !== 'outbound') return null
  return { tenant, direction, extension: extension || null, trunk: trunk || null, number: number ?? '' }
}

/**
 * Combines a call's legs into one call: by its leg to a carrier, else by its first leg. A transfer can join two legs to
 * carriers; each costs, and is a call.
 */
export function callsOf(channels: readonly Channel[]): readonly LiveCall[] {
  const calls = new Map<string, Channel & { mark: Mark }>()
  for (const { mark, ...channel } of channels) {
    if (!mark) continue
    const chosen = calls.get(channel.call)
    const isSecond = mark.trunk !== null && chosen !== undefined && chosen.mark.trunk !== null
    if (isSecond) calls.set(channel.id, { ...channel, call: channel.id, mark })
    else if (!chosen || mark.trunk !== null) calls.set(channel.call, { ...channel, mark })
  }
  return [...calls.values()].map(({ call: id, mark, caller, startedAt, isAnswered }) => ({
    id,
    tenant: mark.tenant,
    extension: mark.extension,
    from: mark.extension ?? caller,
    to: mark.number,
    direction: mark.direction,
    trunk: mark.trunk,
    startedAt,
    answeredAt: isAnswered ? startedAt : null,
  }))
}

/** A phone that is registered. */
export interface Registration {
  readonly user: string
  readonly domain: string
  readonly address: string
  readonly agent: string | null
  /** Seconds until it expires; null if unknown. */
  readonly expiresIn: number | null
}

/** Returns the phones in an answer to {@link SHOW_REGISTRATIONS}: a block of lines for each, `Name:` and its value. */
export const registrationsIn = (answer: string): readonly Registration[] =>
  answer.split(/\r?\n\s*\r?\n/).flatMap(block => {
    const lines = new Map(
      block.split(/\r?\n/).map(line => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon), line.slice(colon + 1).trim()]
      }),
    )
    const line = (name: string): string => lines.get(name) ?? ''
    const [user = '', domain = ''] = split(line('User'), line('User').lastIndexOf('@'))
    const expires = /EXPSECS\((\d{1,9})\)/.exec(line('Status'))?.[1]
    if (user === '') return []
    const address = `${line('IP')}:${line('Port')}`
    return [
      {
        user,
        domain,
        address,
        agent: line('Agent') || null,
        expiresIn: expires === undefined ? null : Number(expires),
      },
    ]
  })

const split = (text: string, at: number): string[] => (at < 1 ? [] : [text.slice(0, at), text.slice(at + 1)])

function rowsIn(answer: string): readonly JsonObject[] {
  const parsed = parsedObject(answer)
  const { rows = [] } = parsed
  if (!Array.isArray(rows)) throw strange()
  return rows.filter(isJsonObject)
}

function parsedObject(answer: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(answer)
    if (isJsonObject(parsed)) return parsed
  } catch {
    // Reported below: text that is not JSON is not an object either.
  }
  throw strange()
}

const strange = (): AppError => new AppError('unavailable', 'The answer of FreeSWITCH is not JSON.')

const text = (row: JsonObject, name: string): string => {
  const value = row[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

const fromEpoch = (seconds: string): Timestamp => formatTimestamp(Number(seconds) * 1_000 || 0, 0)
