import type { Command } from 'commander'
import { isSwitchName } from '../../../../core/calls/completed-call.ts'
import type { FeedRules } from '../../../../core/calls/record-call.ts'
import { isTimeZone } from '../../../../core/dates.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import type { Lookup } from '../../../../core/use-cases/records/lookup.ts'
import { again, againWith, CliError, EXIT } from '../../exit.ts'
import type { Flags } from '../../fields.ts'
import { resolve } from '../../naming/references.ts'

/** Adds the options that say how to read a switch's records. */
export const rulesOptions = (command: Command): Command =>
  command
    .option('--timezone <zone>', "the switch's time zone (default: UTC)")
    .option('--tenant <SLUG|ID>', 'the tenant of records that name none')
    .option(
      '--context <context=SLUG|ID>',
      'the tenant of a dialplan context; may be repeated',
      (pair: string, all: string[] = []) => [...all, pair],
    )
    .option('--switch <name>', 'a name for this switch, if several use the same call ids')

/** Returns the rules in the options, with tenants as typed. Throws if one is wrong. */
export function rulesFrom(flags: Flags): Partial<FeedRules> {
  const { timezone, tenant, context, switch: switchName } = flags
  return {
    ...(typeof timezone === 'string' ? { timezone: zoneFrom(timezone) } : {}),
    ...(typeof tenant === 'string' ? { tenant } : {}),
    ...(Array.isArray(context) ? { contexts: Object.fromEntries(context.map(String).map(pairFrom)) } : {}),
    ...(typeof switchName === 'string' ? { switchName: switchNameFrom(switchName) } : {}),
  }
}

/** Returns the rules with each tenant by slug, as records name it. Throws if one is unknown. */
export async function withSlugs(records: Lookup, rules: Partial<FeedRules>): Promise<Partial<FeedRules>> {
  const slugOf = async (text: string): Promise<string> =>
    String((await records.find(tenants, await resolve(records, tenants, text)))?.['slug'])
  const { tenant, contexts = {} } = rules
  const named = Object.entries(contexts).map(async ([context, text]) => [context, await slugOf(text)] as const)
  return {
    ...rules,
    ...(typeof tenant === 'string' ? { tenant: await slugOf(tenant) } : {}),
    contexts: Object.fromEntries(await Promise.all(named)),
  }
}

/** Returns the given rules, completed by `others`. */
export const completed = (
  rules: Partial<FeedRules>,
  others: FeedRules = { timezone: 'UTC', contexts: {}, tenant: null },
): FeedRules => ({ ...others, ...rules, contexts: { ...others.contexts, ...rules.contexts } })

function zoneFrom(timezone: string): string {
  if (isTimeZone(timezone)) return timezone
  throw new CliError(
    EXIT.usage,
    `there is no time zone ${timezone}; give an IANA name`,
    again('--timezone', 'Europe/Kyiv'),
  )
}

function switchNameFrom(name: string): string {
  if (isSwitchName(name)) return name
  throw new CliError(
    EXIT.usage,
    `--switch must be of letters, digits, _ . : and -, not ${name}`,
    again('--switch', 'pbx-2'),
  )
}

function pairFrom(pair: string): [context: string, tenant: string] {
  const at = pair.lastIndexOf('=')
  if (at < 1 || at === pair.length - 1)
    throw new CliError(EXIT.usage, `--context must be CONTEXT=TENANT, not ${pair}`, againWith(pair, 'from-acme=acme'))
  return [pair.slice(0, at), pair.slice(at + 1)]
}
