import type { TObject } from 'typebox'
import { Value } from 'typebox/value'
import { withoutPassword } from '../core/database-address.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'

/** Where a setting is wrong (`[1].format`; empty for the whole), and the end of the sentence. */
export interface Wrong {
  readonly at: string
  readonly says: string
}

/** Members that no message shows. */
const SECRET_MEMBERS: readonly string[] = ['token', 'password']

/** Returns the first wrong member of an object; null if there is none. `wants` describes each member in words. */
export function wrongMember(
  { properties, required }: TObject,
  wants: Readonly<Record<string, string>>,
  object: JsonObject,
): Wrong | null {
  const unknown = Object.keys(object).find(name => !Object.hasOwn(wants, name))
  if (unknown !== undefined)
    return { at: `.${unknown}`, says: `is not known; the members are ${Object.keys(wants).join(', ')}` }
  for (const [name, wanted] of Object.entries(wants)) {
    const [schema, value] = [properties[name], object[name]]
    const isMissing = value === undefined
    if (!schema || (isMissing ? !required?.includes(name) : Value.Check(schema, value))) continue
    if (isMissing) return { at: `.${name}`, says: `is missing: it must be ${wanted}` }
    const found = SECRET_MEMBERS.includes(name) ? '' : `, not ${JSON.stringify(value)}`
    return { at: `.${name}`, says: `must be ${wanted}${found}` }
  }
  return null
}

/** Returns the settings with their secrets hidden, for display. */
export const withoutSecrets = (settings: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (SECRET_MEMBERS.includes(name)) return [name, '********']
      if (name === 'db') return [name, withoutPassword(String(value))]
      return [name, isJsonObject(value) ? withoutSecrets(value) : value]
    }),
  )
