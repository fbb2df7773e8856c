import { addSeconds, formatTimestamp, type Timestamp } from '../../../core/dates.ts'
import type { LiveCall } from '../../../core/ports/switching.ts'
import type { Manager } from '../manager.ts'
import { type ManagerMessage, valueIn } from '../manager-messages.ts'
import { LINE, lineOf } from '../render/lines.ts'

/** A channel of the switch, from CoreShowChannels. */
export interface Channel {
  readonly name: string
  readonly accountcode: string
  readonly uniqueId: string
  readonly linkedId: string
  readonly caller: string
  readonly exten: string
  readonly isUp: boolean
  /** Seconds since it began. */
  readonly seconds: number
  /** The phone it belongs to; null for a carrier's channel, and for the switch's own. */
  readonly phone: { readonly slug: string; readonly extension: string } | null
  /** The trunk that it belongs to, or that a line calls. */
  readonly trunk: string | null
  /** The extension of a line, for its second half: the channel that keeps the carrier's leg of an outgoing call. */
  readonly lineOf: string | null
}

const PHONE = /^PJSIP\/([A-Za-z0-9][A-Za-z0-9_.-]*)-([0-9*#+]+)-[0-9a-f]{8,}$/
const TRUNK = /^PJSIP\/_([A-Za-z0-9_.-]+)-[0-9a-f]{8,}$/
/** What a line dials: `PJSIP/+380…@_trunk` or `PJSIP/_trunk/sip:…`. */
const CALLED = /^PJSIP\/(?:[^@/]*@)?_([A-Za-z0-9_.-]+)[,/]/

export const channelsIn = (events: readonly ManagerMessage[]): Channel[] =>
  events.flatMap(event => (event.has('channel') ? [channelOf(event)] : []))

function channelOf(event: ManagerMessage): Channel {
  const name = valueIn(event, 'channel')
  const [, slug, extension] = PHONE.exec(name) ?? []
  const accountcode = valueIn(event, 'accountcode')
  const [, billed = null, context, half] = LINE.exec(name) ?? []
  const isLine = half === '2' && context === lineOf(accountcode)
  return {
    name,
    accountcode,
    uniqueId: valueIn(event, 'uniqueid'),
    linkedId: valueIn(event, 'linkedid'),
    caller: valueIn(event, 'calleridnum'),
    exten: valueIn(event, 'exten'),
    isUp: valueIn(event, 'channelstatedesc') === 'Up',
    seconds: secondsOf(valueIn(event, 'duration')),
    phone: slug !== undefined && extension !== undefined ? { slug, extension } : null,
    trunk: (isLine ? CALLED.exec(valueIn(event, 'applicationdata')) : TRUNK.exec(name))?.[1] ?? null,
    lineOf: isLine ? billed : null,
  }
}

/** `HH:MM:SS`. */
const secondsOf = (duration: string): number =>
  duration.split(':').reduce((sum, part) => sum * 60 + (Number(part) || 0), 0)

/** True for a call of one of these tenants. Slugs must match as a whole. */
export const belongsTo = ({ accountcode, phone }: Channel, slugs: ReadonlySet<string>): boolean =>
  slugs.has(accountcode) || (phone !== null && slugs.has(phone.slug))

/** A call, with the channel that keeps it. */
export interface KeptCall {
  readonly call: LiveCall
  readonly kept: Channel
}

/**
 * Returns the calls that channels form: linked channels are one call, the first of them the caller's. Of those with
 * lines, each line is a call, whoever talks on it by now.
 */
export function callsOf(channels: readonly Channel[], now: Timestamp): KeptCall[] {
  return [...groupedBy(channels)].flatMap(([id, all]) => {
    const lines = all.filter(each => each.lineOf !== null)
    const caller = all.find(({ uniqueId }) => uniqueId === id) ?? all[0]
    if (lines.length > 0)
      return lines.map((line, place) => ({ call: onLine(line, place === 0 ? id : line.uniqueId, now), kept: line }))
    return caller ? [{ call: withoutLine(id, caller, { all, now }), kept: caller }] : []
  })
}

function onLine(line: Channel, id: string, now: Timestamp): LiveCall {
  const { accountcode: tenant, lineOf: extension, exten, isUp, seconds, trunk } = line
  const startedAt = addSeconds(now, -seconds)
  return {
    ...{ id, tenant, extension, from: extension ?? '', to: exten, direction: 'outbound', trunk, startedAt },
    answeredAt: isUp ? startedAt : null,
  }
}

function withoutLine(
  id: string,
  caller: Channel,
  { all, now }: { readonly all: readonly Channel[]; readonly now: Timestamp },
): LiveCall {
  const others = all.filter(each => each !== caller)
  const trunk = all.find(each => each.trunk !== null)?.trunk ?? null
  const tenant = caller.accountcode || caller.phone?.slug || others.find(({ phone }) => phone)?.phone?.slug
  const startedAt = addSeconds(now, -caller.seconds)
  return {
    id,
    tenant: tenant || null,
    extension: caller.phone?.extension ?? null,
    from: caller.caller,
    to: caller.exten,
    direction: caller.trunk ? 'inbound' : trunk ? 'outbound' : 'internal',
    trunk,
    startedAt,
    answeredAt: caller.isUp ? startedAt : null,
  }
}

/**
 * Returns the calls in progress. For those that `asks` selects it asks when they were answered, which takes a query
 * each; others count as answered when they began.
 */
export async function callsOn(
  manager: Manager,
  now: Timestamp,
  asks: (call: LiveCall, index: number) => boolean,
): Promise<LiveCall[]> {
  const channels = channelsIn(await manager.list({ Action: 'CoreShowChannels' }))
  return Promise.all(
    callsOf(channels, now).map(({ call, kept }, index) =>
      call.answeredAt === null || !asks(call, index) ? call : answered(manager, call, kept.name),
    ),
  )
}

async function answered(manager: Manager, call: LiveCall, channel: string): Promise<LiveCall> {
  const answer = await manager.ask({ Action: 'Getvar', Channel: channel, Variable: 'CDR(answer,u)' })
  const seconds = Number(valueIn(answer, 'value'))
  return seconds > 0 ? { ...call, answeredAt: formatTimestamp(Math.floor(seconds * 1000), 0) } : call
}

function groupedBy(channels: readonly Channel[]): Map<string, Channel[]> {
  const groups = new Map<string, Channel[]>()
  for (const channel of channels) {
    const group = groups.get(channel.linkedId)
    if (group) group.push(channel)
    else groups.set(channel.linkedId, [channel])
  }
  return groups
}
