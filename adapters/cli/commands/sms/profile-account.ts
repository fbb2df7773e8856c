import type { JsonObject } from '../../../../core/json.ts'
import { Problem } from '../../../../core/resources/field.ts'
import type { Fields } from '../../../../core/resources/resource.ts'
import { smsGateways } from '../../../../core/resources/sms-gateways.ts'
import { broken, REQUIRED } from '../../../../core/resources/values/field-errors.ts'
import { GATEWAY_KEYS } from '../../../../core/sms/gateway-options.ts'
import type { Profile } from '../../../../core/sms/profiles/schema.ts'
import type { Context } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import { type Flags, randomSecret } from '../../fields.ts'
import { askText } from '../../terminal/ask.ts'
import { MEMBERS } from './unusable-profile.ts'

/** What a profile requires of an account, in the provider's words. */

/** The values of `--account`, by key. */
export function accountGiven(profile: Profile, { account }: Flags): Map<string, string> {
  const values = new Map<string, string>()
  for (const text of Array.isArray(account) ? account.map(String) : []) {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    const keys = profile.account.map(each => each.key)
    if (!keys.includes(key))
      throw new CliError(EXIT.usage, `--account is written key=value, with one of ${keys.join(', ')}`)
    values.set(key, value)
  }
  return values
}

type AccountField = Profile['account'][number]

/** A public key is no secret. */
const isSecret = ({ sender }: Profile, key: string): boolean =>
  key === 'password' || (key === 'token' && !sender.every(({ kind }) => kind === 'ed25519'))

/** Returns why a text cannot be that field of a gateway, as a sentence; null if it can. */
export function problemWith(name: string, text: string): string | null {
  const fields: Fields = smsGateways.fields
  const value = text.trim() === '' ? REQUIRED : fields[name]?.parse(text)
  return value instanceof Problem ? broken(name, value).sentence : null
}

/** Returns why a text cannot be the profile's value for that key. */
function unfit(key: string, text: string): string | null {
  const member = MEMBERS[key]
  if (member !== undefined) return problemWith(member, text)
  const [fault] = key === 'max_parts' ? (GATEWAY_KEYS[key]?.faults(text) ?? []) : []
  return fault ? `${key} ${fault.problem}.` : null
}

/** Returns a value for everything that the profile needs: given, else asked for in a terminal, else its default. */
export async function accountFor(
  context: Context,
  profile: Profile,
  body: JsonObject,
  values: Map<string, string>,
): Promise<Map<string, string>> {
  const missing: string[] = []
  for (const field of profile.account) {
    const { key, label } = field
    const member = MEMBERS[key]
    const value = values.get(key) ?? (member === undefined ? undefined : body[member])
    const problem = typeof value === 'string' && value !== '' ? unfit(key, value) : null
    if (problem !== null) throw new CliError(EXIT.data, `${labelled(field)}: ${problem}`)
    if (typeof value === 'string' && value !== '') values.set(key, value)
    else await fallBack(context, profile, field, values)
    if (!values.has(key) && !field.optional) missing.push(`${labelled(field)} (${label})`)
  }
  if (missing.length > 0)
    throw new CliError(EXIT.usage, `${profile.title} needs ${missing.join(', ')}`, 'trunkline gateway create --help')
  if (!values.has('token') && !body['callback_token'] && takesAnySecret(profile)) values.set('token', randomSecret())
  return values
}

/** A secret that only we and the receipt URL know can be generated. */
const takesAnySecret = ({ sender }: Profile): boolean => sender.some(({ kind }) => kind === 'url')

async function fallBack(
  context: Context,
  profile: Profile,
  { key, label, same, fallback, optional }: AccountField,
  values: Map<string, string>,
): Promise<void> {
  const canMakeUp = key === 'token' && takesAnySecret(profile)
  const otherwise = same === undefined ? fallback : values.get(same)
  if (context.options.interactive && same === undefined) {
    const note = canMakeUp ? ' (empty: a random one)' : optional ? ' (may be empty)' : ''
    const isNeeded = !canMakeUp && !optional && otherwise === undefined
    const answer = await askText(context, `${label}${note}:`, {
      hidden: isSecret(profile, key),
      initial: otherwise,
      validate: text => {
        if (text.trim() === '') return isNeeded ? `${profile.title} needs this.` : true
        return unfit(key, text) ?? true
      },
    })
    if (answer.trim() !== '') values.set(key, answer.trim())
  }
  if (values.has(key)) return
  if (otherwise !== undefined) values.set(key, otherwise)
  else if (canMakeUp) values.set(key, randomSecret())
}

/** How to give a value on the command line. */
const labelled = ({ key }: Pick<AccountField, 'key'>): string => {
  if (key === 'password') return '--password-file'
  const member = MEMBERS[key]
  return member === undefined ? `--account ${key}=…` : `--${member.replaceAll('_', '-')}`
}
