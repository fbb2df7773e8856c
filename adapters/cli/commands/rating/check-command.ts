import { Command } from 'commander'
import type { NumberKind } from '../../../../core/dialling/read-number.ts'
import { counted } from '../../../../core/format-count.ts'
import type { CheckedRate, DeckFindings } from '../../../../core/rating/check-deck.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { checkRates } from '../../../../core/use-cases/calls/check-rates.ts'
import type { BilledAbroad, MissingCountry } from '../../../../core/use-cases/calls/missing-country.ts'
import { quoted } from '../../command-line.ts'
import { EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import { resolve } from '../../naming/references.ts'
import { tenantArgument, tenantFrom } from '../../naming/tenant-argument.ts'
import { tenantPeriodFrom, tenantPeriodOptions } from '../../period.ts'
import type { RunCommand } from '../../program.ts'
import { printValue } from '../../terminal/output.ts'
import { printable } from '../../terminal/styles.ts'
import { countryFix } from './country-fix.ts'

export function checkCommand(run: RunCommand): Command {
  const command = tenantPeriodOptions(
    tenantArgument(new Command('check').description('find duplicate, unused and missing rates of a tenant')),
    'calls that began',
  )
  example(command, 'trunkline rate check acme --since 2026-10-01')
  return run(command, async (context, words, flags) => {
    const { tenant } = await tenantFrom(context, words, flags)
    const services = await context.open()
    const { records } = services
    const tenantId = await resolve(records, tenants, tenant)
    const period = await tenantPeriodFrom(flags, records, tenantId)
    const { national: countryless, abroad: billed, ...findings } = await checkRates(services, tenantId, period)
    const fixed = async <T extends { readonly country: string | null }>(found: T | null) =>
      found && { ...found, fix: await countryFix(services, tenantId, found.country) }
    const [national, abroad] = [await fixed(countryless), await fixed(billed)]
    await printValue(context, { ...findings, national, billed_abroad: abroad }, () => [
      ...summary(findings, tenant),
      ...toNational(national),
      ...toAbroad(abroad),
    ])
    const { duplicates, unusable, missing, excessive, ratable } = findings
    const faults = [duplicates, unusable, missing, excessive].flat().length + ratable + (abroad?.calls ?? 0)
    return faults > 0 ? EXIT.negative : EXIT.ok
  })
}

type Fixed<T> = (T & { readonly fix: string }) | null

const toNational = (missing: Fixed<MissingCountry>): string[] =>
  missing
    ? [
        `unrated calls to what look like national numbers, while the tenant has no country: ${missing.calls} (${missing.fix})`,
      ]
    : []

const toAbroad = (billed: Fixed<BilledAbroad>): string[] =>
  billed
    ? [
        `recent calls to numbers of ${billed.country} that were billed as international, while the tenant has no country: ${billed.calls} (${billed.fix})`,
        printable(
          `  ${billed.example.number} by prefix ${billed.example.prefix}, as if it were not ${billed.example.e164}`,
        ),
      ]
    : []

const SHOWN = 20

/** What follows numbers that are shown whole. */
const KINDS: Partial<Record<NumberKind, string>> = {
  short: ' (a short number; a rate must be for this very prefix)',
  'area unknown': ' (a local number, and the tenant has no area_code)',
  unknown: ' (not a number of its country)',
}

function summary(findings: DeckFindings, tenant: string): string[] {
  const { duplicates, unusable, unmatched, idle, missing, excessive, ratable } = findings
  const section = <T>(title: string, found: readonly T[], line: (one: T) => string): string[] => {
    const shown = found.slice(0, SHOWN).map(one => `  ${line(one)}`)
    const more = found.length > SHOWN ? [`  … and ${found.length - SHOWN} more (see --output json)`] : []
    return [`${title}: ${found.length}`, ...shown, ...more]
  }
  const named = ({ id, prefix, destination }: CheckedRate): string => `${prefix}  ${destination}  (id ${id})`
  return [
    section('prefixes with more than one active rate', duplicates, same => `${same.map(named).join('  over  ')}`),
    section('active rates whose prefix cannot be dialled', unusable, named),
    section(
      'dialled without a rate',
      missing,
      ({ prefix, kind, calls }) => `${prefix}${KINDS[kind] ?? '…'}  ${counted(calls, 'call')}`,
    ),
    section('active rates whose calls would cost more than an amount can hold', excessive, named),
    ratable === 0
      ? []
      : `unrated calls that would be rated now: ${ratable} (trunkline cdr rerate --tenant ${quoted(tenant)} --unrated --dry-run)`,
    section('active rates that rated no call', unmatched, named),
    section('inactive rates without an active one of the same prefix', idle, named),
  ].flat()
}
