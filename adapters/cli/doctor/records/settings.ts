import { isJsonObject, type JsonObject } from '../../../../core/json.ts'
import {
  correction,
  type KeyEdit,
  type KeyFault,
  type Keys,
  keyFaults,
} from '../../../../core/resources/references/keys.ts'
import { unreadProblem } from '../../../../core/resources/values/unread.ts'
import { quoted } from '../../command-line.ts'
import type { Services } from '../../context.ts'
import { editWords } from '../../edits.ts'
import { labelOf, spelling } from '../../naming/references.ts'
import { commandOf } from '../../naming/resource-names.ts'
import { type Check, everyField, type FieldOf, type Finding, recordsOf } from '../check.ts'

/** Finds keys of JSON fields that look like misspelt ones, or hold what no rule can read. */
export const settings: Check = {
  about: 'the settings of tenants and gateways',
  async *examine(patient) {
    const services = await patient.open()
    for (const each of everyField()) if (each.field.keys) yield* unreadKeys(services, each, each.field.keys)
  },
}

async function* unreadKeys(services: Services, of: FieldOf, keys: Keys): AsyncIterable<Finding> {
  for await (const row of recordsOf(services, of.resource)) {
    const object = row[of.name]
    if (!isJsonObject(object)) continue
    for (const fault of keyFaults(keys, object))
      yield await findingOn(services, Number(row['id']), { ...of, keys, object, fault })
  }
}

interface Unreadable extends FieldOf {
  readonly keys: Keys
  readonly object: JsonObject
  readonly fault: KeyFault
}

async function findingOn(
  { records }: Services,
  id: number,
  { resource, name, field, keys, object, fault }: Unreadable,
): Promise<Finding> {
  const named = await spelling(records, resource, id)
  const edits = correction(keys, object, fault)
  const change = ['update', quoted(named), ...edits.map(edit => editWords(name, field, edit))]
  const look = ['show', quoted(named), '--fields', name]
  return {
    kind: 'setting_unread',
    finding: `the ${name} field of ${labelOf(resource)} ${named} ${unreadProblem(fault).predicate}`,
    fix: ['trunkline', commandOf(resource), ...(wouldAllow(keys, fault, edits) ? look : change)].join(' '),
  }
}

/** True if the edits would only remove a prohibition. */
function wouldAllow(keys: Keys, { path: [name = ''], meant }: KeyFault, edits: readonly KeyEdit[]): boolean {
  const isGuard = (each: string): boolean => Object.hasOwn(keys, each) && keys[each]?.isGuard === true
  const concerned = meant && 'key' in meant ? [name, meant.key] : [name]
  return concerned.some(isGuard) && edits.every(({ value }) => value === undefined)
}
