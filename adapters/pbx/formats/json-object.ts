import type { UnreadableRecord } from '../../../core/calls/completed-call.ts'
import { isJsonObject, type JsonObject } from '../../../core/json.ts'

/** Parses a record that is a JSON object. */
export function parseJsonObject(record: string): { readonly object: JsonObject } | UnreadableRecord {
  try {
    const object: unknown = JSON.parse(record)
    return isJsonObject(object) ? { object } : { reason: 'is no JSON object' }
  } catch {
    return { reason: 'is no valid JSON: it may have been torn' }
  }
}
