import { parseAmount } from '../../amounts.ts'
import type { Dialling } from '../../dialling/read-number.ts'
import { isJsonObject, numeral } from '../../json.ts'
import { nearest } from '../../nearest.ts'
import { type Key, type KeyFault, type Keys, key, keyFaults } from '../../resources/references/keys.ts'
import { LIMIT_NAMES, type LimitName, type LimitSettings, type Limits } from './limits.ts'

const MOST_CALLS = 1_000_000
const LONGEST_SECONDS = 604_800
const MOST_PREFIXES = 1_000
const MOST_DIGITS = 15
const WRITTEN_PREFIX = /^[\s+\d().~/-]*$/

const wholeOf =
  (least: number, most: number) =>
  (value: unknown): number | null => {
    const digits = numeral(value)?.trim() ?? ''
    const number = /^\d{1,15}$/.test(digits) ? Number(digits) : -1
    return number >= least && number <= most ? number : null
  }
const callsOf = wholeOf(0, MOST_CALLS)
const secondsOf = wholeOf(1, LONGEST_SECONDS)
const moneyOf = (value: unknown): number | null => {
  const amount = parseAmount(value)
  return amount === null || amount < 0 ? null : amount
}
const isPrefix = (value: unknown): value is string => {
  const digits = typeof value === 'string' && WRITTEN_PREFIX.test(value) ? value.replaceAll(/\D/g, '').length : 0
  return digits > 0 && digits <= MOST_DIGITS
}
const prefixesOf = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.length <= MOST_PREFIXES && value.every(isPrefix) ? value : null
const flagOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)

const READERS: Readonly<Record<LimitName, (value: unknown) => number | null>> = {
  concurrent_calls: callsOf,
  calls_per_hour: callsOf,
  calls_per_day: callsOf,
  cost_per_hour: moneyOf,
  cost_per_day: moneyOf,
}

const readBy = (expected: string, read: (value: unknown) => unknown): Key =>
  key(expected, value => read(value) !== null)

const CALLS = readBy(`a whole number of calls from 0 to ${MOST_CALLS}`, callsOf)
const MONEY = readBy('an amount of money that is not negative, such as 25.5', moneyOf)
const PREFIXES = readBy(
  `a list of at most ${MOST_PREFIXES} beginnings of numbers as text, such as ["+1900", "+882"]`,
  prefixesOf,
)

const MEMBERS: Keys = {
  ...Object.fromEntries(LIMIT_NAMES.map(name => [name, READERS[name] === callsOf ? CALLS : MONEY])),
  blocked_prefixes: PREFIXES,
  allowed_prefixes: PREFIXES,
  max_call_seconds: readBy(`a whole number of seconds from 1 to ${LONGEST_SECONDS}`, secondsOf),
  rated_only: readBy('true or false', flagOf),
}

const below = (name: string, faults: readonly KeyFault[]): KeyFault[] =>
  faults.map(fault => ({ ...fault, path: [name, ...fault.path] }))

const object = (example: string, faultsOf: (name: string, value: unknown) => readonly KeyFault[]): Key => ({
  isText: false,
  faults: value =>
    isJsonObject(value)
      ? Object.entries(value).flatMap(([name, member]) => below(name, member === null ? [] : faultsOf(name, member)))
      : [{ path: [], problem: `must be an object such as ${example}` }],
})

/** An object in which every key is ours, so that an unknown one is a mistake. */
const closed = (keys: Keys): Key => ({
  ...object('{"calls_per_day": 500}', (name, value) => {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined
    if (key) return key.faults(value)
    const meant = nearest(name, Object.keys(keys))
    return [
      meant === null
        ? { path: [], problem: `is not known: ${Object.keys(keys).join(', ')} are` }
        : { path: [], problem: 'is not known', meant: { key: meant } },
    ]
  }),
  keys,
})

const EXTENSION = closed(MEMBERS)

/** `settings.limits` of a tenant. */
export const LIMITS: Key = {
  ...closed({
    ...MEMBERS,
    extension: EXTENSION,
    extensions: object('{"101": {"calls_per_day": 500}}', (_, value) => EXTENSION.faults(value)),
  }),
  isGuard: true,
}

const KEYS: Keys = { limits: LIMITS }

/** Members by name, each with its path from the settings on. */
type Members = Readonly<Record<string, { readonly path: string; readonly value: unknown }>>

/** An unknown member is reported where an object was expected. */
function membersAt(path: string, value: unknown): Members {
  if ((value ?? null) === null) return {}
  if (!isJsonObject(value)) return { [path]: { path, value } }
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, { path: `${path}.${name}`, value: member }]))
}

/**
 * Reads the limits in a tenant's settings. An extension has its own limits, and the common extension limits for those
 * that it does not set. An unreadable limit counts as reached, and so does a key that looks like a misspelt `limits`.
 */
export function limitsOf(settings: unknown, dialling: Dialling): LimitSettings {
  const all = isJsonObject(settings) ? settings : {}
  const mistyped = keyFaults(KEYS, all).flatMap(({ path: [name = '', ...rest] }) => (rest.length === 0 ? name : []))
  const { extension, extensions, ...own } = membersAt('limits', all['limits'])
  const everyone = extension ? membersAt(extension.path, extension.value) : {}
  const each = isJsonObject(extensions?.value) ? Object.entries(extensions.value) : []
  return {
    tenant: limits(
      {
        ...own,
        ...(extensions && !isJsonObject(extensions.value) ? { extensions } : {}),
        ...Object.fromEntries(mistyped.map(path => [path, { path, value: null }])),
      },
      dialling,
    ),
    extension: limits(everyone, dialling),
    extensions: new Map(
      each.map(([number, value]) => [
        number,
        limits({ ...everyone, ...membersAt(`limits.extensions.${number}`, value) }, dialling),
      ]),
    ),
  }
}

function limits(members: Members, dialling: Dialling): Limits {
  const valueAt = (name: string): unknown => members[name]?.value
  const digitsOf = (name: string): readonly string[] | null => prefixesOf(valueAt(name))?.map(dialling.prefix) ?? null
  const digits = { blocked_prefixes: digitsOf('blocked_prefixes'), allowed_prefixes: digitsOf('allowed_prefixes') }
  const isRead = (name: string): boolean =>
    Object.hasOwn(MEMBERS, name) &&
    MEMBERS[name]?.faults(valueAt(name)).length === 0 &&
    // The digits of no number that the tenant dials, such as an international prefix.
    !Object.entries(digits).some(([list, prefixes]) => list === name && prefixes?.includes(''))
  return {
    most: Object.fromEntries(
      LIMIT_NAMES.flatMap(name => {
        const most = READERS[name](valueAt(name))
        return most === null ? [] : [[name, most]]
      }),
    ),
    blockedPrefixes: digits.blocked_prefixes ?? [],
    allowedPrefixes: digits.allowed_prefixes,
    maxSeconds: secondsOf(valueAt('max_call_seconds')),
    ratedOnly: flagOf(valueAt('rated_only')) ?? false,
    unreadable: Object.entries(members).flatMap(([name, { path }]) => (isRead(name) ? [] : path)),
  }
}
