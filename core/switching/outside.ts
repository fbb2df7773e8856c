import type { ReadNumber } from '../dialling/read-number.ts'
import type { CallsInProgress } from '../ports/switching.ts'
import { routeFor } from '../prefix-routes.ts'
import { isActive } from '../rating/deck.ts'
import { type PutThrough, type Refused, refused, type Target } from './decision.ts'
import type { SwitchDid, SwitchExtension, TenantDirectory, Trunk } from './directory.ts'
import { isFitE164, isFitName } from './fit.ts'
import { permission } from './limits/limits.ts'
import { accounts, type DecisionContext, limitRefusal, nameOf } from './limits/refusal.ts'
import { inForm, type OutsideNumber, outsideNumber } from './number-form.ts'

/** Decides a call that leaves the switch, and so may cost something. */
export function goOut(
  deciding: DecisionContext,
  caller: SwitchExtension,
  dialled: string,
  read: ReadNumber,
): PutThrough | Refused {
  const { directory } = deciding.facts
  const number = outsideNumber(read, directory.dialling)
  if (!number) return refused('unknown number', unknownNumber(dialled, read, directory))
  const refusal = number.isEmergency ? null : mayCost(deciding, caller, number)
  if (refusal) return refusal
  const targets = trunkTargets(deciding, caller, number)
  if ('refusal' in targets) return targets
  const lengths = accounts(deciding, caller).flatMap(({ limits }) => limits.maxSeconds ?? [])
  return {
    refusal: null,
    direction: 'outbound',
    number: number.short ?? `+${number.digits}`,
    targets,
    maxSeconds: number.isEmergency || lengths.length === 0 ? null : Math.min(...lengths),
  }
}

function unknownNumber(dialled: string, { kind }: ReadNumber, { tenant, dialling }: TenantDirectory): string {
  const { country } = dialling
  const notOwn = `${dialled} is not a number of tenant ${tenant.slug}, and`
  if (kind === 'area unknown') return `${notOwn} it is a local number of ${country}, while the tenant has no area_code`
  return country === null
    ? `${notOwn} it is no E.164 number; set settings.dialling.country of the tenant to read others`
    : `${notOwn} it cannot be dialled in ${country}`
}

/** Returns the refusal of a call by prefix, rate or limits; null if it is permitted. */
function mayCost(deciding: DecisionContext, caller: SwitchExtension, { digits }: OutsideNumber): Refused | null {
  const { facts, steps } = deciding
  const all = accounts(deciding, caller)
  const slip = all.find(({ limits }) => limits.unreadable.length > 0)
  if (slip)
    return refused(
      'limit unreadable',
      `settings.limits of ${nameOf(slip.of, facts.directory)} cannot be read: ${slip.limits.unreadable.join(', ')}`,
    )
  for (const { of, limits } of all) {
    const { prefix, rule } = permission(limits, digits)
    steps.push({ kind: 'permission', of, prefix, rule })
    const whose = nameOf(of, facts.directory)
    if (rule === 'blocked') return refused('prefix blocked', `${whose} may not call numbers that begin with ${prefix}`)
    if (rule === 'not listed')
      return refused('prefix not allowed', `no prefix that ${whose} may call matches the number ${digits}`)
  }
  const isRequired = all.some(({ limits }) => limits.ratedOnly)
  steps.push({ kind: 'rate', prefix: facts.rate?.prefix ?? null, isRequired })
  if (isRequired && !facts.rate)
    return refused('no rate', `tenant ${facts.directory.tenant.slug} has no rate for ${digits}`)
  return limitRefusal(deciding, all, true)
}

/**
 * Returns the route's trunks that can take the call, in order. When a switch goes on to the next is in what it is given:
 * `dialplan.ts` of FreeSWITCH, `routes.ts` of Asterisk.
 */
function trunkTargets(
  { facts, live, steps }: DecisionContext,
  caller: SwitchExtension,
  number: OutsideNumber,
): [Target, ...Target[]] | Refused {
  const { directory } = facts
  const { tenant, dialling } = directory
  const route = routeFor(directory.trunkRoutes, tenant.id, number.digits)
  if (!route) return refused('no trunk', `no route of tenant ${tenant.slug} leads to ${number.digits}`)
  steps.push({ kind: 'route', prefix: route.prefix, trunks: route.trunks, isOwn: route.tenant_id !== null })
  const targets = route.trunks.flatMap((name): Target[] => {
    const trunk = directory.trunks.get(name)
    const why = trunk ? unusable(trunk, number, live) : 'there is no such trunk'
    steps.push({ kind: 'trunk', name, isUsable: why === null, why })
    if (!trunk || why !== null) return []
    return [
      {
        to: 'trunk',
        trunk,
        number: inForm(trunk.numberForm, number, dialling),
        caller: callerShown(trunk, caller, directory),
      },
    ]
  })
  const [first, ...others] = targets
  return first ? [first, ...others] : refused('no trunk', `no trunk of the route can take a call to ${number.digits}`)
}

/** Returns why a trunk cannot take the call; null if it can. */
function unusable(trunk: Trunk, { isEmergency }: OutsideNumber, live: CallsInProgress): string | null {
  if (!isActive(trunk.status)) return `it is ${trunk.status}`
  if (!isFitName(trunk.name)) return 'no switch can use its name'
  const calls = live.onTrunk(trunk.name)
  return trunk.maxCalls !== null && calls >= trunk.maxCalls && !isEmergency
    ? `it has ${calls} of at most ${trunk.maxCalls} calls`
    : null
}

/**
 * Returns the DID shown to the carrier as the caller: the extension's own before the tenant's others, and among those
 * the ones whose calls come from that trunk.
 */
export function callerShown(trunk: Trunk, { number }: SwitchExtension, directory: TenantDirectory): string | null {
  const { tenant, dids, dialling, trunks } = directory
  const isOwn = ({ targets: [first] }: SwitchDid): boolean => first?.type === 'extension' && first.number === number
  const isForeign = ({ provider }: SwitchDid): boolean => provider !== trunk.name && trunks.has(provider)
  const weight = (did: SwitchDid): number => (isOwn(did) ? 0 : 2) + (isForeign(did) ? 1 : 0)
  const [best] = [...dids]
    .filter(([digits, did]) => did.tenantId === tenant.id && isActive(did.status) && isFitE164(digits))
    .toSorted(([, one], [, other]) => weight(one) - weight(other) || one.id - other.id)
  return best ? inForm(trunk.numberForm, { digits: best[0], short: null, isEmergency: false }, dialling) : null
}
