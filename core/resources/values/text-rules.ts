import { isTimeZone } from '../../dates.ts'
import { isFitName } from '../../switching/fit.ts'

/** A rule for a text beyond its length. */
export interface TextRule {
  readonly choices?: readonly string[]
  readonly holds: (text: string) => boolean
  readonly predicate: string
  readonly schema?: { readonly format?: string; readonly pattern?: string }
}

const LOCAL_PART = /^[^\s@"(),:;<>[\]\\.]+(?:\.[^\s@"(),:;<>[\]\\.]+)*$/u
const DOMAIN = /^(?!-)[\p{L}\p{N}-]{1,63}(?<!-)(?:\.(?!-)[\p{L}\p{N}-]{1,63}(?<!-))*$/u

const isEmail = (value: string): boolean => {
  const at = value.lastIndexOf('@')
  return LOCAL_PART.test(value.slice(0, Math.max(at, 0))) && DOMAIN.test(value.slice(at + 1))
}

const MAC = /^[0-9A-Fa-f]{2}([:-]?)(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}$/
const E164 = /^\+?[1-9]\d{1,14}$/
/** The user part of SIP addresses, without characters that a dialplan or configuration would interpret. */
const SIP_USER = /^[A-Za-z0-9_.!~*+=&@%-]+$/
const CODECS = /^[A-Za-z0-9-]{1,20}(?:, ?[A-Za-z0-9-]{1,20})*$/
const SENDER = /^[\p{L}\p{N} ._\-&']+$/u
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
const HOST_NAME =
  /^(?=.{1,253}\.?$)(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?$/
const NUMERIC_LABEL = /(?:^|\.)(?:\d+|0[xX][0-9a-fA-F]*)\.?$/
const IPV6 = /^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$/

/** Refuses a host name whose last label a URL parser would read as a number: it is an address in disguise. */
function isHost(value: string): boolean {
  const bare = value.startsWith('[') && value.endsWith(']') ? value.slice(1, -1) : value
  if (IPV6.test(bare)) return isHttpUrl(`http://[${bare}]/`)
  return bare === value && (IPV4.test(value) || (HOST_NAME.test(value) && !NUMERIC_LABEL.test(value)))
}

function isHttpUrl(value: string): boolean {
  if (!/^https?:\/\/[^\s/?#]/i.test(value) || /[\s\\]/.test(value)) return false
  return URL.canParse(value)
}

export const rules = {
  email: { holds: isEmail, predicate: 'must be a valid email address', schema: { format: 'email' } },
  timeZone: { holds: isTimeZone, predicate: 'must be a valid timezone' },
  host: { holds: isHost, predicate: 'must be a host name or an IP address' },
  httpUrl: { holds: isHttpUrl, predicate: 'must be a valid URL', schema: { format: 'uri' } },
  e164: {
    holds: (value: string) => E164.test(value),
    predicate: 'format is invalid',
    schema: { pattern: E164.source },
  },
  switchName: {
    holds: isFitName,
    predicate: 'must begin with a letter or digit and contain only letters, digits, dots, hyphens and underscores',
  },
  sipUser: { holds: (value: string) => SIP_USER.test(value), predicate: 'must be the user of a SIP address' },
  codecs: { holds: (value: string) => CODECS.test(value), predicate: 'must be names of codecs, such as PCMA,PCMU' },
  mac: { holds: (value: string) => MAC.test(value), predicate: 'must be a valid MAC address' },
  sender: {
    holds: (value: string) => E164.test(value) || SENDER.test(value),
    predicate: 'format is invalid',
    schema: { pattern: `${E164.source}|${SENDER.source}` },
  },
  oneOf: (...values: string[]): TextRule => ({
    holds: value => values.includes(value),
    choices: values,
    predicate: `must be one of ${values.join(', ')}`,
    schema: { pattern: `^(?:${values.join('|')})$` },
  }),
} satisfies Record<string, TextRule | ((...values: string[]) => TextRule)>
