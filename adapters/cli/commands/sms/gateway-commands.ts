import { type Command, Option } from 'commander'
import { isJsonObject, type JsonObject, objects } from '../../../../core/json.ts'
import { Problem } from '../../../../core/resources/field.ts'
import { smsGateways } from '../../../../core/resources/sms-gateways.ts'
import { sendFields } from '../../../../core/resources/sms-messages.ts'
import { broken, taken } from '../../../../core/resources/values/field-errors.ts'
import { BUILT_IN } from '../../../../core/sms/profiles/all.ts'
import type { Profile } from '../../../../core/sms/profiles/schema.ts'
import { type Context, say } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import { suggests } from '../../naming/suggestions.ts'
import type { RunCommand, Wiring } from '../../program.ts'
import { askText } from '../../terminal/ask.ts'
import { cell } from '../../terminal/json-values.ts'
import type { Additions } from '../resource-commands.ts'
import { gatewayTest } from './gateway-test.ts'
import { accountFor, accountGiven, problemWith } from './profile-account.ts'
import { profileCommand, profileNamed } from './profile-commands.ts'
import { MEMBERS, unusableProfile } from './unusable-profile.ts'

/** Commands of gateways besides administering them. */
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
      new Option(
        '--account <key=value>',
        'a value that the profile needs besides name and password; repeatable',
      ).argParser(collect),
    )
  },
  complete: async (context, flags, body) => {
    if (flags['profile'] === undefined) {
      if (flags['account'] !== undefined)
        throw new CliError(EXIT.usage, '--account goes with --profile', 'trunkline gateway profile list')
      return body
    }
    const profile = await profileNamed(context, wiring, String(flags['profile']))
    const values = accountGiven(profile, flags)
    const name = body['name'] ?? (await nameFor(context, profile))
    const account = await accountFor(context, profile, body, values)
    const asksSender = context.options.interactive && body['default_sender_id'] === undefined
    const sender = asksSender ? { default_sender_id: await senderFor(context) } : {}
    return bodyFor(profile, { ...body, ...sender, name }, account)
  },
  unread: ({ profiles }, values) => unusableProfile(profiles, values),
  done: async (context, services, json) => {
    const [row = {}] = objects(`[${json}]`)
    for (const line of await services.messaging.setup(Number(row['id'])))
      say(context, `at ${cell(row['name'])}: ${line}`)
    const from = row['default_sender_id'] === null ? ' --from ACME' : ''
    const test = `trunkline gateway test ${cell(row['id'])} --to +380501234567${from}`
    if (isJsonObject(row['meta']) && row['meta']['profile'] !== undefined) say(context, `to try it: ${test}`)
  },
})

/** Returns the provider's name, unless a gateway has it: two of one name could not be told apart. */
async function nameFor(context: Context, { title }: Profile): Promise<string> {
  const { records } = await context.open()
  const isTaken = async (name: string): Promise<boolean> => (await records.identify(smsGateways, { name })).length > 0
  const canBeTitle = !(await isTaken(title))
  if (context.options.interactive)
    return askText(context, 'name:', {
      initial: canBeTitle ? title : undefined,
      validate: async text => {
        const problem = problemWith('name', text)
        if (problem !== null) return problem
        return (await isTaken(text.trim())) ? taken('name').sentence : true
      },
    })
  if (canBeTitle) return title
  throw new CliError(EXIT.usage, `there is a gateway ${title} already: give this one a --name`)
}

const senderFor = (context: Context): Promise<string> =>
  askText(context, 'default sender id (may be empty):', {
    validate: text => {
      const sender = text.trim() === '' ? text : sendFields.from_sender.parse(text)
      return sender instanceof Problem ? broken('default_sender_id', sender).sentence : true
    },
  })

/** Returns the gateway's body, with the profile's defaults where nothing else is given. */
function bodyFor(profile: Profile, body: JsonObject, account: Map<string, string>): JsonObject {
  const { meta } = body
  const own = [...account].filter(([key]) => MEMBERS[key] === undefined && key !== 'max_parts')
  const maxParts = account.get('max_parts')
  const members = [...account].flatMap(([key, value]) => {
    const member = MEMBERS[key]
    return member === undefined ? [] : [[member, value] as const]
  })
  return {
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
