import type { Command } from 'commander'
import { isTimeZone } from '../../core/dates.ts'
import type { Records } from '../../core/ports/records.ts'
import { type FeedRules, isSwitchName } from '../../core/rating/record-call.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { again, againWith, CliError, EXIT } from './exit.ts'
import type { Flags } from './fields.ts'
import { resolve } from './references.ts'

/** How the records of a switch are to be read, as options. */
export const rulesOptions = (command: Command): Command =>
  command
    .option('--timezone <zone>', "the switch's time zone (default: UTC)")
    .option('--tenant <SLUG|ID>', 'the tenant of records that nothing else gives one')
    .option(
      '--context <context=SLUG|ID>',
      'the tenant of a dialplan context; may be repeated',
      (pair: string, all: string[] = []) => [...all, pair],
    )
    .option('--switch <name>', 'what tells this switch from others that give their calls the same ids')

export const hasRules = (flags: Flags): boolean =>
  ['timezone', 'tenant', 'context', 'switch'].some(name => flags[name] !== undefined)

/** The flags with each tenant by its slug, as records name it. Throws where one is unknown. */
export async function withSlugs(records: Records, flags: Flags): Promise<Flags> {
  const slugOf = async (text: string): Promise<string> =>
    String((await records.find(tenants, await resolve(records, tenants, text)))?.['slug'])
  const { tenant } = flags
  const context = await Promise.all(pairsIn(flags).map(async ([name, text]) => `${name}=${await slugOf(text)}`))
  return {
    ...flags,
    ...(typeof tenant === 'string' ? { tenant: await slugOf(tenant) } : {}),
    ...(context.length > 0 ? { context } : {}),
  }
}

/** The rules that the flags give, and where they give none, those of `others`. */
export function rulesFrom(
  flags: Flags,
  others: FeedRules = { timezone: 'UTC', contexts: {}, tenant: null },
): FeedRules {
  const timezone = String(flags['timezone'] ?? others.timezone)
  if (!isTimeZone(timezone))
    throw new CliError(
      EXIT.usage,
      `there is no time zone ${timezone}; an IANA name is wanted`,
      again('--timezone', 'Europe/Kyiv'),
    )
  const name = switchNameFrom(flags['switch']) ?? others.switchName
  return {
    timezone,
    contexts: { ...others.contexts, ...Object.fromEntries(pairsIn(flags)) },
    tenant: typeof flags['tenant'] === 'string' ? flags['tenant'] : others.tenant,
    ...(name === undefined ? {} : { switchName: name }),
  }
}

function switchNameFrom(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined
  if (isSwitchName(given)) return given
  throw new CliError(EXIT.usage, `--switch ${given} is no name of letters, digits, _ . : -`, again('--switch', 'pbx-2'))
}

const pairsIn = (flags: Flags): [context: string, tenant: string][] =>
  (Array.isArray(flags['context']) ? flags['context'].map(String) : []).map(pairFrom)

function pairFrom(pair: string): [context: string, tenant: string] {
  const at = pair.lastIndexOf('=')
  if (at < 1 || at === pair.length - 1)
    throw new CliError(EXIT.usage, `--context ${pair} is no pair`, againWith(pair, 'from-acme=acme'))
  return [pair.slice(0, at), pair.slice(at + 1)]
}
