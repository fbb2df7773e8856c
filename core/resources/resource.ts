import type { Field, Value } from './field.ts'

export type Fields = Readonly<Record<string, Field>>

/** The values of a record by field name, without id and timestamps. */
export type Values<F extends Fields = Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never
}

export type Row = Readonly<Record<string, Value>>

/** What is shown along with a record. `from` and `of` name resources, `by` and `via` their reference fields. */
export type Embed =
  /** The record that the field `via` points to, as an object (null without one). */
  | {
      readonly kind: 'one'
      readonly name: string
      readonly from: string
      readonly via: string
      readonly only?: readonly string[]
    }
  /** The records whose field `by` points here, as an array: a short one in every view, or a long one in the single view. */
  | {
      readonly kind: 'many'
      readonly name: string
      readonly from: string
      readonly by: string
      readonly in: 'views' | 'single'
      readonly only?: readonly string[]
    }
  /** How many records point here. */
  | {
      readonly kind: 'count'
      readonly name: string
      readonly of: string
      readonly by: string
      readonly in: 'views' | 'list'
    }

/** plain: a record's own fields; list and single: with what these embed, the long arrays of a single view apart. */
export type View = 'plain' | 'list' | 'single'

/** At most `max` (a field of the parent) records may belong to one parent (`by`). */
export interface Limit {
  readonly by: string
  readonly parent: string
  readonly max: string
}

/**
 * The field in which a record agrees with all that it points to, as far as those have it: `tenant_id`. `isRule`: what
 * would make them differ is refused; else it is stored, and a check finds it.
 */
export interface Within {
  readonly field: string
  readonly isRule: boolean
}

export interface Resource<F extends Fields = Fields> {
  /** Names the collection of its records. A storage decides where it keeps them. */
  readonly name: string
  /** The path segment below /api; null for what has no endpoint of its own. */
  readonly path: string | null
  /** How messages name one and several. */
  readonly label: string
  readonly plural: string
  readonly fields: F
  /** What is kept beside a record and stands in files, though not in the API. */
  readonly kept: Fields
  readonly timestamps: boolean
  /** The fields that `search` looks in. */
  readonly search: readonly string[]
  /** Lists go by this column, then by id, both descending. */
  readonly order: string
  readonly embeds: readonly Embed[]
  /** Sets of fields that no two records may share; the error stands on the last of a set. */
  readonly unique: readonly (readonly string[])[]
  /** What distinguishes one record from another for a person: the natural key of imports and of the command line. */
  readonly key: readonly string[]
  /** The fields that matter most in a list: where there is no room for all, the others go first. Empty: all the same. */
  readonly brief: readonly string[]
  /**
   * What a PUT does with omitted optional members (keep: the stored value stays; clear: null), and whether a PATCH
   * must name the required ones (replace: yes, as PUT; merge: it changes what it names).
   */
  readonly put: 'keep' | 'clear'
  readonly patch: 'replace' | 'merge'
  readonly limit?: Limit
  readonly within?: Within
  /** The field whose records make up a deck, which an import may replace as a whole, at once or from a moment on. */
  readonly deckOf?: string
}

type Declaration<F extends Fields> = Pick<Resource<F>, 'name' | 'label' | 'fields'> &
  Partial<Omit<Resource<F>, 'name' | 'label' | 'fields' | 'search' | 'unique' | 'key' | 'brief'>> & {
    readonly search?: readonly (keyof F & string)[]
    readonly unique?: readonly (readonly (keyof F & string)[])[]
    readonly key?: readonly (keyof F & string)[]
    readonly brief?: readonly (keyof F & string)[]
  }

/** Declares a resource once: routes, SQL, commands, import columns and the API description derive from it. */
export function resource<F extends Fields>(declaration: Declaration<F>): Resource<F> {
  return {
    path: null,
    plural: `${declaration.label}s`,
    kept: {},
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

/** What a view shows along with a record. */
export const embedsIn = ({ embeds }: Pick<Resource, 'embeds'>, view: View): readonly Embed[] =>
  embeds.filter(embed => {
    if (view === 'plain') return false
    if (embed.kind === 'one') return true
    return embed.in === 'views' || (embed.kind === 'count' && view === 'list')
  })

/** A record that only joins others has no name that a person would write. */
export const isNamed = ({ key, fields }: Pick<Resource, 'key' | 'fields'>): boolean =>
  key.some(name => !fields[name]?.references && !fields[name]?.choices)

/** A resource's label within a sentence; `SMS gateway` and `DID` keep their capitals. */
export const lowered = (label: string): string => label.replace(/^[A-Z](?=[a-z])/, letter => letter.toLowerCase())

/** `tenant_id` in a sentence is "tenant id". */
export const fieldLabel = (name: string): string => name.replaceAll('_', ' ')

/** What lists can be sorted by: the numbers and dates that every record has. */
export const sortable = (resource: Pick<Resource, 'fields' | 'timestamps'>): readonly string[] => [
  'id',
  ...Object.entries(resource.fields).flatMap(([name, { kind, required, references }]) =>
    required && !references && ['integer', 'decimal', 'date'].includes(kind) ? [name] : [],
  ),
  ...timestamped(resource),
]

/** The columns that the service keeps by itself. */
export const timestamped = (resource: Pick<Resource, 'timestamps'>): readonly string[] =>
  resource.timestamps ? ['created_at', 'updated_at'] : []

/** The segment of a path that names a resource's collection, whether the API has an endpoint for it or not. */
export const collectionOf = ({ path, name }: Pick<Resource, 'path' | 'name'>): string =>
  path ?? name.replaceAll('_', '-')
