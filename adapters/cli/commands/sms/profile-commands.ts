import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { type JsonObject, stringifyJson } from '../../../../core/json.ts'
import { checkText, faultLine } from '../../../../core/sms/profiles/collection.ts'
import { asThing, sampleReceipts, sampleReply, sampleRequests } from '../../../../core/sms/profiles/sample.ts'
import type { Profile } from '../../../../core/sms/profiles/schema.ts'
import type { Context } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import type { Flags } from '../../fields.ts'
import { example } from '../../help.ts'
import { readText } from '../../input.ts'
import { type RunCommand, takesFields, type Wiring } from '../../program.ts'
import { printRows, printValue } from '../../terminal/output.ts'
import { printable, styled } from '../../terminal/styles.ts'
import { wholeNumber } from '../../terminal/whole-number.ts'

/** Profiles of SMS providers: built-in ones and your own. */
export function profileCommand(run: RunCommand, wiring: Wiring): Command {
  const group = new Command('profile').description('profiles of SMS providers: list, show, check')
  for (const command of [listCommand(run, wiring), showCommand(run, wiring), checkCommand(run, wiring)])
    group.addCommand(command)
  return group
}

const COLUMNS = { name: 'text', title: 'text', source: 'text', problem: 'text' } as const

function listCommand(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('list').description('list the profiles that a gateway may have')
  example(command, 'trunkline gateway profile list')
  return run(takesFields(command), async context => {
    const profiles = await wiring.profiles(context.options)
    const rows = profiles.all().map(each => ({
      name: each.name,
      title: 'profile' in each ? each.profile.title : null,
      source: each.file ?? 'built in',
      problem: 'problem' in each ? each.problem : null,
    }))
    await printRows(context, COLUMNS, rows)
    return rows.some(({ problem }) => problem !== null) ? EXIT.negative : EXIT.ok
  })
}

/** Returns a profile by its name. Throws CliError. */
export async function profileNamed(context: Context, wiring: Pick<Wiring, 'profiles'>, name: string): Promise<Profile> {
  const found = (await wiring.profiles(context.options)).named(name)
  if ('problem' in found) throw new CliError(EXIT.data, found.problem, 'trunkline gateway profile list')
  return found.profile
}

function showCommand(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('show')
    .description('print a profile as JSON, to start a file of your own')
    .argument('<PROFILE>')
  example(command, 'trunkline gateway profile show twilio')
  return run(command, async (context, [name = '']) => {
    const profile: JsonObject = await profileNamed(context, wiring, name)
    await printValue(context, profile, () => stringifyJson(profile, 2).split('\n'))
  })
}

function checkCommand(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('check')
    .description('check a profile and show what it would do; sends nothing')
    .argument('<FILE|PROFILE>', 'a file, - for standard input, or the name of a profile')
    .option('--reply <text>', 'show how this reply of the provider would be read')
    .option('--reply-status <code>', 'its HTTP status (default: 200)')
    .option('--receipt <text>', 'show how this receipt would be read: JSON, a form or a query')
  example(
    command,
    'trunkline gateway profile check twilio',
    `trunkline gateway profile check twilio --receipt 'MessageSid=SM1&MessageStatus=delivered'`,
  )
  return run(command, async (context, [file = ''], flags) => {
    const profile = await profileIn(context, wiring, file)
    const shown = shownOf(profile, flags)
    await printValue(context, shown, () => linesOf(context, profile, shown))
  })
}

async function profileIn(context: Context, wiring: Wiring, file: string): Promise<Profile> {
  const isNamed = file !== '-' && !existsSync(file) && 'profile' in (await wiring.profiles(context.options)).named(file)
  if (isNamed) return profileNamed(context, wiring, file)
  const checked = checkText(await readText(context.io, file))
  if ('profile' in checked) return checked.profile
  const lines = checked.faults.map(fault => `${file}: ${faultLine(fault)}`)
  throw new CliError(EXIT.data, lines.join('\n'), 'trunkline gateway profile show twilio')
}

function shownOf(profile: Profile, { reply, replyStatus, receipt }: Flags): JsonObject {
  const requests = sampleRequests(profile).map(({ text, form, request }) => ({ text, ...form, ...asThing(request) }))
  const status = replyStatus === undefined ? 200 : wholeNumber('--reply-status', replyStatus)
  return {
    name: profile.name,
    title: profile.title,
    requests,
    ...(reply === undefined ? {} : { reply: sampleReply(profile, status, String(reply)) }),
    ...(receipt === undefined ? {} : { receipts: sampleReceipts(profile, String(receipt)) }),
  }
}

function linesOf(context: Context, profile: Profile, shown: JsonObject): readonly string[] {
  const block = (heading: string, value: unknown): readonly string[] => [
    styled(context, 'bold', heading),
    ...stringifyJson(value, 2)
      .split('\n')
      .map(line => `  ${printable(line)}`),
  ]
  const receipts = Array.isArray(shown['receipts']) ? shown['receipts'] : null
  return [
    `${profile.title}: the profile is sound`,
    ...sampleRequests(profile).flatMap(({ text, form, request }) =>
      block(`request for ${JSON.stringify(text)} (${form.alphabet})`, asThing(request)),
    ),
    ...(shown['reply'] ? block('the reply is read as', shown['reply']) : []),
    ...(receipts === null
      ? []
      : receipts.length === 0
        ? ['the receipt says nothing that this profile reads']
        : block('the receipt is read as', receipts)),
  ]
}
