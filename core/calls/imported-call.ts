import { fieldReader, recordAt } from '../packed-records.ts'
import type { BulkPlan, BulkRecords, Rejection } from '../ports/bulk.ts'
import { outcomeOf } from '../rating/outcome.ts'
import type { keptWithCalls } from '../resources/call-ratings.ts'
import type { Value } from '../resources/field.ts'
import { isAnswered } from './completed-call.ts'
import type { IdConflict, IdentifiedCall } from './identity.ts'

/** A record of an import that a switch's id identifies. */
export interface ImportedCall extends IdentifiedCall {
  readonly records: BulkRecords
  readonly index: number
}

type Plan = Pick<BulkPlan, 'columns' | 'constants'>

/** What an import finds about calls that may be stored already. */
export interface SiftedCalls {
  /** The rows that are stored already. */
  readonly storedRows: ReadonlySet<number>
  /** Calls with the id of a different call. */
  readonly conflicts: readonly Rejection[]
  /** The stored calls without a switch's id that equal rows of the import. */
  readonly twins: readonly number[]
}

/** Reads the call at an index; null if it has no switch's id. */
export function importedCallReader(plan: Plan): (records: BulkRecords, index: number) => ImportedCall | null {
  const read = (name: string) => fieldReader(plan, name)
  const kept = (name: keyof typeof keptWithCalls) => read(name)
  const [id, source, switchName] = [kept('switch_call_id'), kept('source'), kept('switch')]
  const [tenant, start, destination] = [read('tenant_id'), read('started_at'), read('destination_number')]
  const disposition = read('disposition')
  return (records, index) => {
    const callId = id(records, index)
    if (callId === null) return null
    const name = switchName(records, index)
    return {
      records,
      index,
      source: String(source(records, index)),
      switchCallId: String(callId),
      switchName: name === null ? null : String(name),
      isAnswered: isAnswered({ disposition: String(disposition(records, index)) }),
      attempt: null,
      marks: {
        tenant_id: Number(tenant(records, index)),
        started_at: String(start(records, index)),
        destination_number: String(destination(records, index)),
      },
    }
  }
}

/** Reads how the call at an index got its cost: as the file says, else as its values show. */
export function importedOutcomeReader(plan: Plan): (records: BulkRecords, index: number) => Value {
  const outcome = fieldReader(plan, 'outcome')
  const [direction, disposition] = [fieldReader(plan, 'direction'), fieldReader(plan, 'disposition')]
  const seconds = fieldReader(plan, 'duration_seconds')
  return (records, index) =>
    outcome(records, index) ??
    outcomeOf({
      direction: direction(records, index),
      disposition: disposition(records, index),
      duration_seconds: seconds(records, index),
    })
}

/** Rejects a call with the id of another one. */
export function idRejection({ call, rival }: IdConflict<ImportedCall>): Rejection {
  const { row, line, raw } = recordAt(call.records, call.index)
  const sentence = `The switch call id ${JSON.stringify(call.switchCallId)} is that of another call, to ${rival.destination_number} at ${rival.started_at}; if this one is of another switch, name that in the column switch.`
  return { row, line, raw, errors: [{ rule: 'taken', field: 'switch_call_id', sentence }] }
}
