import type { Field, Value } from './field.ts'

export type Fields = Readonly<Record<string, Field>>

/** A record's values by field name, without id and timestamps. */
export type Values<F extends Fields = Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never
}

export type Row = Readonly<Record<string, Value>>

/** What is shown along with a record. `from` and `of` name resources, `by` and `via` their reference fields. */
export type Embed =
  /** The record that the field `via` points to, as an object, or null. */
  | {
      readonly kind: 'one'
      readonly name: string
      readonly from: string
      readonly via: string
      readonly only?: readonly string[]
    }
  /** The records whose field `by` points here, as an array: in every view if short, in the single view if long. */
  | {
      readonly kind: 'many'
      readonly name: string
      readonly from: string
      readonly by: string
      readonly in: 'views' | 'single'
      readonly only?: readonly string[]
    }
  /** The number of records that point here. */
  | {
      readonly kind: 'count'
      readonly name: string
      readonly of: string
      readonly by: string
      readonly in: 'views' | 'list'
    }

/** plain: a record's own fields; list and single: with embeds, except the long arrays of a single view. */
export type View = 'plain' | 'list' | 'single'

/** At most `max` (a field of the parent) records may belong to one parent (`by`). */
export interface Limit {
  readonly by: string
  readonly parent: string
  readonly max: string
}

/**
 * The field in which a record agrees with everything it points to that has the field: `tenant_id`. `isRule`: a
 * difference is refused; otherwise it is stored, and a check finds it.
 */
export interface Within {
  readonly field: string
  readonly isRule: boolean
}

export interface Resource<F extends Fields = Fields> {
  /** The name of the collection. A storage decides where it keeps the records. */
  readonly name: string
  /** The path segment below /api; null without endpoints of its own. */
  readonly path: string | null
  /** The singular and plural used in messages. */
  readonly label: string
  readonly plural: string
  readonly fields: F
  /** Fields kept beside a record and written to files, but not shown by the API. */
  readonly kept: Fields
  /** The fields that lists can be filtered by. */
  readonly chosenBy: readonly string[]
  readonly timestamps: boolean
  /** The fields that `search` covers. */
  readonly search: readonly string[]
  /** Lists are sorted by this column, then by id, both descending. */
  readonly order: string
  readonly embeds: readonly Embed[]
  /** Sets of fields that no two records may share; the error is on the last field of a set. */
  readonly unique: readonly (readonly string[])[]
  /** The natural key: what distinguishes records for a person, in imports and on the command line. */
  readonly key: readonly string[]
  /** The most important fields of a list, which are dropped last if there is no room. Empty: all are equal. */
  readonly brief: readonly string[]
  /**
   * What a PUT does with omitted optional members (keep: the stored value stays; clear: null), and whether a PATCH
   * must include the required ones (replace: yes, like PUT; merge: it changes only what it names).
   */
  readonly put: 'keep' | 'clear'
  readonly patch: 'replace' | 'merge'
  readonly limit?: Limit
  readonly within?: Within
  /** The field whose records form a deck, which an import may replace as a whole, at once or from a later moment. */
  readonly deckOf?: string
}

type Declaration<F extends Fields> = Pick<Resource<F>, 'name' | 'label' | 'fields'> &
  Partial<Omit<Resource<F>, 'name' | 'label' | 'fields' | 'search' | 'unique' | 'key' | 'brief'>> & {
    readonly search?: readonly (keyof F & string)[]
    readonly unique?: readonly (readonly (keyof F & string)[])[]
    readonly key?: readonly (keyof F & string)[]
    readonly brief?: readonly (keyof F & string)[]
  }

/** Declares a resource: routes, SQL, commands, import columns and the API description derive from it. */
export function resource<F extends Fields>(declaration: Declaration<F>): Resource<F> {
  return {
    path: null,
    plural: `${declaration.label}s`,
    kept: {},
    chosenBy: [],
    timestamps: true,
    search: [],
    order: 'id',
    embeds: [],
    unique: [],
    key: [],
    brief: [],
    put: 'keep',
    patch: 'replace',
    ...declaration,
  }
}

/** Returns what a view embeds. */
export const embedsIn = ({ embeds }: Pick<Resource, 'embeds'>, view: View): readonly Embed[] =>
  embeds.filter(embed => {
    if (view === 'plain') return false
    if (embed.kind === 'one') return true
    return embed.in === 'views' || (embed.kind === 'count' && view === 'list')
  })

/** True unless the record only joins others, and so has no name that a person would write. */
export const isNamed = ({ key, fields }: Pick<Resource, 'key' | 'fields'>): boolean =>
  key.some(name => !fields[name]?.references && !fields[name]?.choices)

/** Returns a label as it appears within a sentence; `SMS gateway` and `DID` keep their capitals. */
export const lowered = (label: string): string => label.replace(/^[A-Z](?=[a-z])/, letter => letter.toLowerCase())

/** Returns a field's name as it appears in a sentence: "tenant id" for `tenant_id`. */
export const fieldLabel = (name: string): string => name.replaceAll('_', ' ')

/** Returns the fields that lists can be sorted by: numbers and dates that every record has. */
export const sortable = (resource: Pick<Resource, 'fields' | 'timestamps'>): readonly string[] => [
  'id',
  ...Object.entries(resource.fields).flatMap(([name, { kind, required, references }]) =>
    required && !references && ['integer', 'decimal', 'date'].includes(kind) ? [name] : [],
  ),
  ...timestamped(resource),
]

/** Returns the fields of those that have an index: sorting by them is fast, however many records there are. */
export const indexed = ({ order }: Pick<Resource, 'order'>): readonly string[] => [...new Set(['id', order])]

/** Returns the fields that lists can be filtered by, as far as their kinds allow. */
export const choosable = ({ fields, kept, chosenBy }: Pick<Resource, 'fields' | 'kept' | 'chosenBy'>): Fields => ({
  ...fields,
  ...Object.fromEntries(Object.entries(kept).filter(([name]) => chosenBy.includes(name))),
})

/** The columns that the service keeps by itself. */
export const timestamped = (resource: Pick<Resource, 'timestamps'>): readonly string[] =>
  resource.timestamps ? ['created_at', 'updated_at'] : []

/** Returns the path segment of a resource's collection, even if the API has no endpoint for it. */
export const collectionOf = ({ path, name }: Pick<Resource, 'path' | 'name'>): string =>
  path ?? name.replaceAll('_', '-')
