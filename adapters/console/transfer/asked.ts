import { resourceOf } from '../../../core/resources/all.ts'
import { TENANT, tenantSide } from '../../../core/resources/references/within.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { type Format, formatOf } from '../../../core/transfer/formats.ts'
import { here, idAsked, setQuery } from '../state/location.ts'
import { me } from '../state/session.ts'

/** The options of an import. The page's address holds all of them. */
export interface Asked {
  readonly resource: Resource | null
  readonly upload: number | null
  readonly tenant: number | null
  /** The field of each column whose name differs from it; empty to skip the column. */
  readonly map: ReadonlyMap<string, string>
  /** Values for all records. */
  readonly set: ReadonlyMap<string, string>
  readonly format: Format | null
  readonly mode: string
  readonly onError: string
  readonly delimiter: string
  readonly effective: string
  readonly resume: string
  readonly flags: ReadonlySet<string>
  /** The id of the latest check. */
  readonly check: number | null
}

export const FLAGS = ['decimal_comma', 'force', 'allow_empty'] as const

const pairs = (all: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    all.map(text => {
      const at = text.lastIndexOf('=')
      return [text.slice(0, at), text.slice(at + 1)] as const
    }),
  )

export function asked(): Asked {
  const { searchParams } = here.value
  const text = (name: string): string => searchParams.get(name) ?? ''
  const resource = resourceOf(text('into')) ?? null
  return {
    resource,
    upload: idAsked('upload'),
    tenant: me.value?.tenant?.id ?? idAsked('tenant'),
    map: pairs(searchParams.getAll('map')),
    set: pairs(searchParams.getAll('set')),
    format: text('format') === '' ? null : formatOf(undefined, `.${text('format')}`),
    mode: text('mode') || 'insert',
    onError: text('on_error') || 'stop',
    delimiter: text('delimiter'),
    effective: text('effective'),
    resume: text('resume'),
    flags: new Set(FLAGS.filter(name => text(name) === 'true')),
    check: idAsked('check'),
  }
}

/** Changes the options, and drops the check that they outdate. */
export const ask = (changes: Readonly<Record<string, string | readonly string[] | null>>): void =>
  setQuery({ check: null, ...changes }, true)

/** Sets one pair of `map` or `set`; null removes it. */
export function askPair(name: 'map' | 'set', key: string, value: string | null): void {
  const all = new Map(asked()[name])
  if (value === null) all.delete(key)
  else all.set(key, value)
  ask({ [name]: [...all].map(([each, text]) => `${each}=${text}`) })
}

/** True if all records of this kind can be given one tenant. */
export const hasTenant = (resource: Resource): boolean => tenantSide(resource) !== undefined && !me.value?.tenant

/** Returns the body of the request. */
export function bodyOf({ upload, tenant, map, set, resource, flags, ...others }: Asked) {
  const { format, mode, onError, delimiter, effective, resume } = others
  return {
    upload,
    ...(tenant !== null && resource && hasTenant(resource) ? { tenant } : {}),
    map: Object.fromEntries(map),
    set: Object.fromEntries([...set].filter(([name, value]) => value !== '' && name !== TENANT)),
    mode,
    on_error: mode === 'replace' ? 'stop' : onError,
    ...(format ? { format } : {}),
    ...(delimiter === '' ? {} : { delimiter }),
    ...(mode === 'replace' && effective !== '' ? { effective } : {}),
    ...(resume === '' ? {} : { resume }),
    ...Object.fromEntries([...flags].map(name => [name, true])),
  }
}
