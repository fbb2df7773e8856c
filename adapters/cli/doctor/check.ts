import { type JsonObject, objects } from '../../../core/json.ts'
import type { TelephoneSwitch } from '../../../core/ports/switching.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import type { DaemonState } from '../commands/service/service-commands.ts'
import type { Services } from '../context.ts'

/** Something that is wrong. */
export interface Finding {
  readonly [member: string]: string
  /** What kind of trouble it is, for programs: `same_key`. */
  readonly kind: string
  /** What is wrong with what, as a sentence without its full stop. */
  readonly finding: string
  /** The command that puts it right, or that shows more where only a person can decide; empty where there is none. */
  readonly fix: string
}

/** What is examined: the settings, and the database that they name. */
export interface Patient {
  readonly settings: Readonly<Record<string, unknown>>
  /** Where each setting comes from; `default` where nobody set it. */
  readonly sources: Readonly<Record<string, string>>
  /** What does not fit together in them. */
  readonly oddities: readonly Finding[]
  /** The file of the database. */
  readonly path: string
  /** The open database. Throws AppError where it cannot be opened, which ends the examination. */
  open(): Promise<Services>
  /** The switches that the settings name. */
  switches(): Promise<readonly TelephoneSwitch[]>
  /** Does the daemon answer, and does it serve this database? */
  daemon(): Promise<DaemonState>
}

/** One thing to look at. */
export interface Check {
  /** What is looked at: `gateways and their receipts`. */
  readonly about: string
  examine(patient: Patient): AsyncIterable<Finding>
}

/** How many findings of one kind are shown one by one; the others are counted. */
export const AT_MOST = 10

/** Every record of a resource, newest first. */
export async function* recordsOf(
  { records }: Pick<Services, 'records'>,
  resource: Resource,
  view: 'plain' | 'list' = 'plain',
): AsyncIterable<JsonObject> {
  for await (const page of records.list(resource, { view })) yield* objects(`[${page.json}]`)
}
