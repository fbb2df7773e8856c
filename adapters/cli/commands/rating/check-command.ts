import { Command } from 'commander'
import type { NumberKind } from '../../../../core/dialling/dialling.ts'
import type { JsonObject } from '../../../../core/json.ts'
import { type CheckedRate, checkDeck, type DeckFindings } from '../../../../core/rating/check-deck.ts'
import { isActive } from '../../../../core/rating/deck.ts'
import { rates } from '../../../../core/resources/rates.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { quoted } from '../../command-line.ts'
import { EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import { resolve } from '../../naming/references.ts'
import { tenantArgument, tenantFrom } from '../../naming/tenant-argument.ts'
import { tenantPeriodFrom, tenantPeriodOptions } from '../../period.ts'
import type { RunCommand } from '../../program.ts'
import { objects } from '../../terminal/json-values.ts'
import { printValue } from '../../terminal/output.ts'
import { printable } from '../../terminal/styles.ts'
import { counted } from '../../terminal/whole-number.ts'
import { type BilledAbroad, billedAbroad, type MissingCountry, nationalCalls } from './missing-country.ts'

export function checkCommand(run: RunCommand): Command {
  const command = tenantPeriodOptions(
    tenantArgument(new Command('check').description('find duplicate, unused and missing rates of a tenant')),
    'calls that began',
  )
  example(command, 'trunkline rate check acme --since 2026-10-01')
  return run(command, async (context, words, flags) => {
    const { tenant } = await tenantFrom(context, words, flags)
    const services = await context.open()
    const { records, calls, clock } = services
    const tenantId = await resolve(records, tenants, tenant)
    const period = await tenantPeriodFrom(flags, records, tenantId)
    const deckRates: CheckedRate[] = []
    for await (const page of records.list(rates, { view: 'plain', where: { tenant_id: tenantId } }))
      deckRates.push(...objects(`[${page.json}]`).map(checkedRate))
    const unrated = await calls.unratedDestinations(tenantId, period)
    const catalog = await calls.catalog(tenantId, clock.now())
    const findings = checkDeck(deckRates, await calls.usedRates(tenantId, period), unrated, catalog)
    const counts = await nationalCalls(records, tenantId)
    for (const { number, calls } of unrated) counts?.add(number, calls)
    const national = counts?.found() ?? null
    const abroad = await billedAbroad(services, tenantId, period)
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

const toNational = (missing: MissingCountry | null): string[] =>
  missing
    ? [
        `unrated calls to what look like national numbers, while the tenant has no country: ${missing.calls} (${missing.fix})`,
      ]
    : []

const toAbroad = (billed: BilledAbroad | null): string[] =>
  billed
    ? [
        `recent calls to numbers of ${billed.country} that were billed as international, while the tenant has no country: ${billed.calls} (${billed.fix})`,
        printable(
          `  ${billed.example.number} by prefix ${billed.example.prefix}, as if it were not ${billed.example.e164}`,
        ),
      ]
    : []

const checkedRate = (row: JsonObject): CheckedRate => ({
  id: Number(row['id']),
  prefix: String(row['prefix']),
  destination: String(row['destination']),
  active: isActive(row['status']),
})

const SHOWN = 20

/** What stands behind numbers that are shown whole. */
const KINDS: Partial<Record<NumberKind, string>> = {
  short: ' (a short number; a rate must be for this very prefix)',
  'area unknown': ' (a local number, and the tenant has no area_code)',
  unknown: ' (no number that is dialled in its country)',
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
    section('active rates that no call was rated by', unmatched, named),
    section('inactive rates without an active one of the same prefix', idle, named),
  ].flat()
}
