import type { DialledForm } from '../../../core/switching/dialled-forms.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import { isFitE164 } from '../../../core/switching/fit.ts'
import type { Limits } from '../../../core/switching/limits/limits.ts'
import { callingCode } from '../../../core/switching/number-form.ts'
import { asExten, ownDids, toDid } from './inside.ts'
import { extensionLimits, isAnyRated } from './limits.ts'
import {
  caseless,
  contexts,
  DIALLED,
  DIALLED_LENGTHS,
  exten,
  ON_LINE,
  partOf,
  prefixTable,
  refuse,
  section,
} from './lines.ts'
import { reachable, routeContexts } from './routes.ts'

/**
 * Renders how numbers are dialled: one table for all tenants with the same rules. Each length has its own context, since
 * a context with very many extensions is slow to load.
 */
export function readerContexts(name: string, forms: readonly DialledForm[]): string {
  const to = (part: string, number: string): string => `Goto(${part}-\${CHANNEL(accountcode)},${number},1)`
  const kept = (takes: number): string => (takes === 0 ? `\${EXTEN}` : `\${EXTEN:${takes}}`)
  const step = ({ kind, takes, puts }: DialledForm): string =>
    kind === 'e164' ? to('out', `+${puts}${kept(takes)}`) : to(kind, kept(takes))
  const lines = DIALLED_LENGTHS.map((): string[] => [])
  for (const form of forms)
    lines[form.pattern.replace(/\[\d+\]/g, 'X').length - 1]?.push(exten(`_${form.pattern}`, step(form)))
  return lines
    .map((all, index) => section(`${name}-${index + 1}`, [...all, exten('_[+*#0-9]!', refuse('unknown number'))]))
    .join('')
}

export interface CallsOut {
  readonly directory: TenantDirectory
  /** The prefixes that the tenant has rates for. */
  readonly ratedPrefixes: readonly string[]
  /** The steps that refuse a call if too many are in progress. */
  readonly full: readonly string[]
  /** The steps that refuse an outgoing call if limits cannot be read, and if they are reached. */
  readonly unreadable: readonly string[]
  readonly spent: readonly string[]
}

/** Renders the path of an outgoing call: to the tenant's own DIDs, or through the limits to the trunks of its route. */
export function outsideContexts({ directory, ratedPrefixes, full, unreadable, spent }: CallsOut): string {
  const { slug } = directory.tenant
  const names = contexts(slug)
  const code = callingCode(directory.dialling)
  const own = ownDids(directory).filter(({ digits }) => isFitE164(digits))
  const isRated = isAnyRated(directory.limits)
  const permitted = hasLists(directory) ? names.permitted : `\${TL_AFTER}`
  return [
    section(names.out, [
      ...own.map(did => exten(asExten(did.digits), ...toDid(directory, did, full))),
      exten('_+X!', `Set(TL_SEND=\${EXTEN})`, `Set(TL_WAY=${names.paid})`, `Goto(${names.leave},\${EXTEN},1)`),
    ]),
    section(names.short, [
      exten(
        '_X!',
        `Set(TL_SEND=\${EXTEN})`,
        ...(isRated ? [`ExecIf($["\${TL_AFTER}" = "${names.rated}"]?Set(TL_AFTER=${names.ratedShort}))`] : []),
        `Set(TL_WAY=${names.paid})`,
        `Goto(${names.leave},+${code}\${EXTEN},1)`,
      ),
    ]),
    section(names.emergency, [
      exten(
        '_X!',
        ...[`Set(TL_SEND=\${EXTEN})`, 'Set(TL_FREE=1)', 'Set(TL_LENGTH=)', `Set(TL_WAY=${names.routes})`],
        `Goto(${names.leave},+${code}\${EXTEN},1)`,
      ),
    ]),
    lineContexts(directory),
    section(names.paid, [exten('_+X!', ...unreadable, `Goto(${permitted},\${EXTEN},1)`)]),
    hasLists(directory) ? permissionContexts(directory) : '',
    isRated ? ratedContexts(directory, ratedPrefixes) : '',
    section(names.spent, [exten('_+X!', ...full, ...spent, `Goto(${names.routes},\${EXTEN},1)`)]),
    routeContexts(directory),
  ].join('')
}

/** The variables, without `TL_`, that the caller's channel hands on to the line of its call. */
const TOLD = ['EXT', 'DIALLED', 'SEND', 'WAY', 'FREE', 'LENGTH', 'LIMITS', 'AFTER', 'CALLS', 'OUT']

/**
 * Renders the way to a line, and its beginning. The line alone counts as the call, since it lasts as long as the
 * carrier's leg. It has the name of the extension that the call is billed to, whoever talks on it later.
 */
function lineContexts(directory: TenantDirectory): string {
  const { slug } = directory.tenant
  const { leave, line } = contexts(slug)
  const group = caseless(slug)
  const told = [...TOLD, ...reachable(directory).map(({ id }) => `ID${id}`)]
  return [
    section(leave, [
      exten(
        '_+X!',
        ...['Set(GROUP(tl_tenant)=)', 'Set(GROUP(tl_extension)=)', `Set(_${ON_LINE}=\${EXTEN})`],
        ...told.map(name => `Set(_TL_${name}=\${TL_${name}})`),
        `Dial(Local/\${TL_EXT}@${line}/n,,i)`,
        `Hangup(\${HANGUPCAUSE})`,
      ),
    ]),
    section(line, [
      exten(
        DIALLED,
        `Set(CHANNEL(accountcode)=${slug})`,
        ...[`Set(GROUP(tl_tenant)=${group})`, `Set(GROUP(tl_extension)=${group}-\${TL_EXT})`],
        `Set(GROUP(tl_out_extension)=${group}-\${TL_EXT})`,
        `Goto(\${TL_WAY},\${${ON_LINE}},1)`,
      ),
    ]),
  ].join('')
}

const hasLists = (directory: TenantDirectory): boolean =>
  [directory.limits.tenant, ...extensionLimits(directory.limits)].some(
    ({ blockedPrefixes, allowedPrefixes }) => blockedPrefixes.length > 0 || allowedPrefixes !== null,
  )

function permissionContexts(directory: TenantDirectory): string {
  const { permitted } = contexts(directory.tenant.slug)
  const table = (name: string, { blockedPrefixes, allowedPrefixes }: Limits, passes: string): string => {
    const ways = new Map((allowedPrefixes ?? []).map(prefix => [prefix, passes]))
    for (const prefix of blockedPrefixes) ways.set(prefix, refuse('prefix blocked'))
    return section(name, prefixTable(ways, allowedPrefixes === null ? passes : refuse('prefix not allowed')))
  }
  return [
    table(permitted, directory.limits.tenant, `Goto(${partOf(permitted, `\${TL_LIMITS}`)},\${EXTEN},1)`),
    ...extensionLimits(directory.limits).map((limits, index) =>
      table(partOf(permitted, index), limits, `Goto(\${TL_AFTER},\${EXTEN},1)`),
    ),
  ].join('')
}

/** A deck may have very many prefixes, and a context with very many extensions loads slowly. */
const SHARDED_BY = 2
const LONGEST_SHORT = 6

const isDigits = (prefix: string): boolean => /^[0-9]+$/.test(prefix)

function ratedContexts(directory: TenantDirectory, ratedPrefixes: readonly string[]): string {
  const { rated, ratedShort, spent } = contexts(directory.tenant.slug)
  const code = callingCode(directory.dialling)
  const passes = `Goto(${spent},\${EXTEN},1)`
  const first = new Map<string, string>()
  const shards = new Map<string, Map<string, string>>()
  for (const prefix of coveringPrefixes(ratedPrefixes)) {
    const begin = prefix.slice(0, SHARDED_BY)
    if (prefix === begin) first.set(prefix, passes)
    else {
      first.set(begin, `Goto(${partOf(rated, begin)},\${EXTEN},1)`)
      shards.set(begin, (shards.get(begin) ?? new Map()).set(prefix, passes))
    }
  }
  // A short number needs its own rate: otherwise it would be taken for the beginning of another number.
  const short = ratedPrefixes.filter(prefix => prefix.startsWith(code) && prefix.length - code.length <= LONGEST_SHORT)
  return [
    section(ratedShort, [
      ...[...new Set(short)].filter(isDigits).map(prefix => exten(`+${prefix}`, passes)),
      exten('_+!', refuse('no rate')),
    ]),
    section(rated, prefixTable(first, refuse('no rate'))),
    ...[...shards].map(([begin, ways]) => section(partOf(rated, begin), prefixTable(ways, refuse('no rate')))),
  ].join('')
}

/** Returns the prefixes that no other one covers. */
function coveringPrefixes(prefixes: Iterable<string>): string[] {
  const covering: string[] = []
  for (const prefix of [...prefixes].sort()) {
    const last = covering.at(-1)
    if (last === undefined || !prefix.startsWith(last)) covering.push(prefix)
  }
  return covering
}
