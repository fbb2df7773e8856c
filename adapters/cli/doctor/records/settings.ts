import { isJsonObject, type JsonObject } from '../../../../core/json.ts'
import { resources } from '../../../../core/resources/all.ts'
import type { Field } from '../../../../core/resources/field.ts'
import {
  correction,
  type KeyEdit,
  type KeyFault,
  type Keys,
  keyFaults,
} from '../../../../core/resources/references/keys.ts'
import type { Resource } from '../../../../core/resources/resource.ts'
import { unreadProblem } from '../../../../core/resources/values/unread.ts'
import { quoted } from '../../command-line.ts'
import type { Services } from '../../context.ts'
import { editWords } from '../../edits.ts'
import { labelOf, spelling } from '../../naming/references.ts'
import { commandOf } from '../../naming/resource-names.ts'
import { type Check, type Finding, recordsOf } from '../check.ts'

/** Finds keys of JSON fields that look like misspelt ones, or hold what no rule can read. */
export const settings: Check = {
  about: 'the settings of tenants and gateways',
  async *examine(patient) {
    const services = await patient.open()
    for (const resource of resources)
      for (const [name, field] of Object.entries(resource.fields))
        if (field.keys) yield* unreadKeys(services, resource, name, field, field.keys)
  },
}

async function* unreadKeys(
  services: Services,
  resource: Resource,
  name: string,
  field: Field,
  keys: Keys,
): AsyncIterable<Finding> {
  for await (const row of recordsOf(services, resource)) {
    const object = row[name]
    if (!isJsonObject(object)) continue
    for (const fault of keyFaults(keys, object))
      yield await findingOn(services, resource, Number(row['id']), { name, field, keys, object, fault })
  }
}

interface Unreadable {
  readonly name: string
  readonly field: Field
  readonly keys: Keys
  readonly object: JsonObject
  readonly fault: KeyFault
}

async function findingOn(
  { records }: Services,
  resource: Resource,
  id: number,
  { name, field, keys, object, fault }: Unreadable,
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
