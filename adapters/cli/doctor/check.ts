import { type JsonObject, objects } from '../../../core/json.ts'
import type { TelephoneSwitch } from '../../../core/ports/switching.ts'
import { resources } from '../../../core/resources/all.ts'
import type { Field } from '../../../core/resources/field.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import type { DaemonState } from '../commands/service/service-commands.ts'
import type { Services } from '../context.ts'

/** Something that is wrong. */
export interface Finding {
  readonly [member: string]: string
  /** The kind of trouble, for programs: `same_key`. */
  readonly kind: string
  /** What is wrong, as a sentence without its full stop. */
  readonly finding: string
  /** The command that fixes it, or shows more if only a person can decide; empty if there is none. */
  readonly fix: string
}

/** What is examined: the settings, and the database that they name. */
export interface Patient {
  readonly settings: Readonly<Record<string, unknown>>
  /** Where each setting comes from; `default` if nobody set it. */
  readonly sources: Readonly<Record<string, string>>
  /** Settings that contradict each other. */
  readonly oddities: readonly Finding[]
  /** The database file, or the address of its server. */
  readonly path: string
  /** Returns the open database. Throws AppError if it cannot be opened, which ends the examination. */
  open(): Promise<Services>
  /** Returns the switches in the settings. */
  switches(): Promise<readonly TelephoneSwitch[]>
  /** Returns whether the daemon answers, and serves this database. */
  daemon(): Promise<DaemonState>
  /** Returns what the daemon measures; null if it does not answer. */
  metrics(): Promise<string | null>
}

/** One thing to look at. */
export interface Check {
  /** The subject: `gateways and their receipts`. */
  readonly about: string
  examine(patient: Patient): AsyncIterable<Finding>
}

/** Findings of one kind that are shown one by one; the others are counted. */
export const AT_MOST = 10

/** A field of a kind of record. */
export interface FieldOf {
  readonly resource: Resource
  readonly name: string
  readonly field: Field
}

export const everyField = (): readonly FieldOf[] =>
  resources.flatMap(resource => Object.entries(resource.fields).map(([name, field]) => ({ resource, name, field })))

/** Yields every record of a resource, newest first. */
export async function* recordsOf(
  { records }: Pick<Services, 'records'>,
  resource: Resource,
  view: 'plain' | 'list' = 'plain',
): AsyncIterable<JsonObject> {
  for await (const page of records.list(resource, { view })) yield* objects(`[${page.json}]`)
}
