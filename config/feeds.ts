import Type, { type Static } from 'typebox'
import { isSwitchName, SOURCE_FORMATS } from '../core/calls/completed-call.ts'
import { isTimeZone } from '../core/dates.ts'
import { isJsonObject } from '../core/json.ts'
import { type Wrong, wrongMember } from './members.ts'

const FORMATS = [...SOURCE_FORMATS, 'auto'] as const
const text = Type.String({ minLength: 1 })

/** A feed of call records; `every` is the seconds between two checks. */
export const feed = Type.Object(
  {
    format: Type.Enum([...FORMATS]),
    path: text,
    timezone: Type.Optional(Type.Refine(Type.String(), isTimeZone)),
    tenant: Type.Optional(text),
    contexts: Type.Optional(Type.Record(Type.String(), text)),
    switch: Type.Optional(Type.Refine(Type.String(), isSwitchName)),
    every: Type.Optional(Type.Number({ minimum: 0.05, maximum: 3600 })),
  },
  { additionalProperties: false },
)

export type FeedSetting = Static<typeof feed>

const WANTS: Readonly<Record<keyof FeedSetting, string>> = {
  format: `one of ${FORMATS.join(', ')}`,
  path: 'a path',
  timezone: 'an IANA time zone such as Europe/Kyiv',
  tenant: 'the slug of a tenant',
  contexts: "an object of tenants' slugs by context",
  switch: 'a name of letters, digits, _ . : -',
  every: 'a number of seconds from 0.05 to 3600',
}

export const FEEDS_WANT = `a list of at most 100 feeds such as {"format": "auto", "path": "/var/log/asterisk/cdr-csv/Master.csv"}, which have ${Object.keys(WANTS).join(', ')}`

/** Returns the first thing that is wrong with an entry of the list of feeds; null if the list itself is wrong. */
export function wrongFeed(value: unknown): Wrong | null {
  if (!Array.isArray(value)) return null
  for (const [index, one] of value.entries()) {
    const wrong = isJsonObject(one)
      ? wrongMember(feed, WANTS, one)
      : { at: '', says: `must be an object, not ${JSON.stringify(one)}` }
    if (wrong) return { ...wrong, at: `[${index}]${wrong.at}` }
  }
  return null
}
