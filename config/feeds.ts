import { resolve } from 'node:path'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { isSwitchName, SOURCE_FORMATS } from '../core/calls/completed-call.ts'
import { isTimeZone } from '../core/dates.ts'
import { isJsonObject } from '../core/json.ts'
import { type Wrong, wrongMember } from './members.ts'

const FORMATS = [...SOURCE_FORMATS, 'auto'] as const
const text = Type.String({ minLength: 1 })

/** A feed of call records; `every` is the seconds between two checks, `name` its path unless given. */
const feed = Type.Object(
  {
    format: Type.Enum([...FORMATS]),
    path: text,
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    timezone: Type.Optional(Type.Refine(Type.String(), isTimeZone)),
    tenant: Type.Optional(text),
    contexts: Type.Optional(Type.Record(Type.String(), text)),
    switch: Type.Optional(Type.Refine(Type.String(), isSwitchName)),
    every: Type.Optional(Type.Number({ minimum: 0.05, maximum: 3600 })),
  },
  { additionalProperties: false },
)

export type FeedSetting = Static<typeof feed>

/** Returns the name under which the feed's place and its records in quarantine are stored. */
export const nameOf = ({ name, path }: Pick<FeedSetting, 'name' | 'path'>): string => name ?? path

/** True if both follow the same file, however its path is written. */
export const isSamePath = (one: string, other: string): boolean => resolve(one) === resolve(other)

/** Finds the first feed whose name is that of another, or that has none and the path of an earlier one; null for none. */
function taken(list: readonly FeedSetting[]): Wrong | null {
  for (const [index, { name, path }] of list.entries()) {
    if (list.some((other, at) => at !== index && name === nameOf(other)))
      return { at: `[${index}].name`, says: 'must differ from the names and paths of other feeds' }
    const first = list.findIndex(other => other.name === undefined && isSamePath(other.path, path))
    if (name === undefined && first < index)
      return { at: `[${index}].path`, says: `must differ from feeds[${first}].path: both would follow one file` }
  }
  return null
}

const someFeeds = Type.Array(feed, { maxItems: 100 })
export const feeds = Type.Refine(someFeeds, list => taken(list) === null)

const WANTS: Readonly<Record<keyof FeedSetting, string>> = {
  format: `one of ${FORMATS.join(', ')}`,
  path: 'a path',
  name: 'a name of 1 to 200 characters',
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
  return Value.Check(someFeeds, value) ? taken(value) : null
}
