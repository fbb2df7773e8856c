import { type Command, Option } from 'commander'
import { isJsonObject, type JsonObject, objects } from '../../../../core/json.ts'
import { BUILT_IN } from '../../../../core/sms/profiles/all.ts'
import type { Profile } from '../../../../core/sms/profiles/schema.ts'
import { type Context, say } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import { type Flags, randomSecret } from '../../fields.ts'
import { suggests } from '../../naming/suggestions.ts'
import type { RunCommand, Wiring } from '../../program.ts'
import { askText } from '../../terminal/ask.ts'
import { cell } from '../../terminal/json-values.ts'
import type { Additions } from '../resource-commands.ts'
import { gatewayTest } from './gateway-test.ts'
import { profileCommand, profileNamed } from './profile-commands.ts'
import { MEMBERS, unusableProfile } from './unusable-profile.ts'

/** What can be done with gateways beside administering them. */
export const gatewayTools = (run: RunCommand, wiring: Wiring): Command[] => [
  profileCommand(run, wiring),
  gatewayTest(run, wiring),
]

const collect = (value: string, before: string[] = []): string[] => [...before, value]

/** `create --profile twilio` asks for what that provider needs, and says what to enter on its side. */
export const gatewayAdditions = (wiring: Wiring): Additions => ({
  addFlags: command => {
    const profile = new Option('--profile <name>', "the provider's profile; see trunkline gateway profile list")
    command.addOption(
      suggests(
        profile,
        BUILT_IN.map(({ name }) => name),
      ),
    )
    command.addOption(
      new Option('--account <key=value>', 'what the profile asks for beside name and password; repeatable').argParser(
        collect,
      ),
    )
  },
  complete: async (context, flags, body) => {
    if (flags['profile'] === undefined) {
      if (flags['account'] !== undefined)
        throw new CliError(EXIT.usage, '--account goes with --profile', 'trunkline gateway profile list')
      return body
    }
    const profile = await profileNamed(context, wiring, String(flags['profile']))
    return bodyFor(profile, body, await accountFor(context, profile, body, accountGiven(profile, flags)))
  },
  unread: ({ profiles }, values) => unusableProfile(profiles, values),
  done: async (context, services, json) => {
    const [row = {}] = objects(`[${json}]`)
    for (const line of await services.messaging.setup(Number(row['id'])))
      say(context, `at ${cell(row['name'])}: ${line}`)
    const test = `trunkline gateway test ${cell(row['id'])} --to +380501234567`
    if (isJsonObject(row['meta']) && row['meta']['profile'] !== undefined) say(context, `to try it: ${test}`)
  },
})

function accountGiven(profile: Profile, { account }: Flags): Map<string, string> {
  const given = new Map<string, string>()
  for (const text of Array.isArray(account) ? account.map(String) : []) {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    const keys = profile.account.map(each => each.key)
    if (!keys.includes(key))
      throw new CliError(EXIT.usage, `--account is written key=value, with one of ${keys.join(', ')}`)
    given.set(key, value)
  }
  return given
}

type AccountField = Profile['account'][number]

const SECRET = new Set(['password', 'token'])

/** A value for everything that the profile asks for: as given, else asked for at a terminal, else as it falls back. */
async function accountFor(
  context: Context,
  profile: Profile,
  body: JsonObject,
  given: Map<string, string>,
): Promise<Map<string, string>> {
  const missing: string[] = []
  for (const field of profile.account) {
    const { key, label } = field
    const member = MEMBERS[key]
    const value = given.get(key) ?? (member === undefined ? undefined : body[member])
    if (typeof value === 'string' && value !== '') given.set(key, value)
    else await fallBack(context, profile, field, given)
    if (!given.has(key) && !field.optional) missing.push(`${labelled(field)} (${label})`)
  }
  if (missing.length > 0)
    throw new CliError(EXIT.usage, `${profile.title} needs ${missing.join(', ')}`, 'trunkline gateway create --help')
  if (!given.has('token') && !body['callback_token'] && takesAnySecret(profile)) given.set('token', randomSecret())
  return given
}

/** A secret that only we and the receipt URL know may be made up. */
const takesAnySecret = ({ sender }: Profile): boolean => sender.some(({ kind }) => kind === 'url')

async function fallBack(
  context: Context,
  profile: Profile,
  { key, label, same, fallback, optional }: AccountField,
  given: Map<string, string>,
): Promise<void> {
  const canMakeUp = key === 'token' && takesAnySecret(profile)
  const otherwise = same === undefined ? fallback : given.get(same)
  if (context.options.interactive && same === undefined) {
    const note = canMakeUp ? ' (empty: a random one)' : optional ? ' (may be empty)' : ''
    const isNeeded = !canMakeUp && !optional && otherwise === undefined
    const answer = await askText(context, `${label}${note}:`, {
      hidden: SECRET.has(key),
      initial: otherwise,
      validate: text => (isNeeded && text.trim() === '' ? `${profile.title} needs this.` : true),
    })
    if (answer.trim() !== '') given.set(key, answer.trim())
  }
  if (given.has(key)) return
  if (otherwise !== undefined) given.set(key, otherwise)
  else if (canMakeUp) given.set(key, randomSecret())
}

/** How a value is given on the command line. */
const labelled = ({ key }: Pick<AccountField, 'key'>): string => {
  if (key === 'password') return '--password-file'
  const member = MEMBERS[key]
  return member === undefined ? `--account ${key}=…` : `--${member.replaceAll('_', '-')}`
}

/** The body of the gateway, with what the profile knows where nothing else is given. */
function bodyFor(profile: Profile, body: JsonObject, account: Map<string, string>): JsonObject {
  const { meta } = body
  const own = [...account].filter(([key]) => MEMBERS[key] === undefined && key !== 'max_parts')
  const maxParts = account.get('max_parts')
  const members = [...account].flatMap(([key, value]) => {
    const member = MEMBERS[key]
    return member === undefined ? [] : [[member, value] as const]
  })
  return {
    name: profile.title,
    provider_type: profile.name,
    username: profile.name,
    api_path: null,
    is_active: true,
    ...profile.defaults,
    ...body,
    ...Object.fromEntries(members),
    meta: {
      ...(isJsonObject(meta) ? meta : {}),
      profile: profile.name,
      ...(own.length > 0 ? { account: Object.fromEntries(own) } : {}),
      ...(maxParts === undefined ? {} : { max_parts: Number(maxParts) }),
    },
  }
}
