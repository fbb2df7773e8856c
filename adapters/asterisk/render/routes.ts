import { isActive } from '../../../core/rating/deck.ts'
import type { SwitchExtension, TenantDirectory, Trunk } from '../../../core/switching/directory.ts'
import { callingCode, inForm } from '../../../core/switching/number-form.ts'
import { callerShown } from '../../../core/switching/outside.ts'
import { contexts, exten, partOf, prefixTable, refuse, section } from './lines.ts'
import { trunkProblem } from './pjsip.ts'
import { toTrunk } from './trunk-calls.ts'

/** Seconds that a carrier may take to have the call answered. */
const RINGS = 120

/** Renders the table of routes, and the trunks of each, tried in order if one refuses the call or does not answer. */
export function routeContexts(directory: TenantDirectory): string {
  const { slug } = directory.tenant
  const { routes, trunks } = contexts(slug)
  const lists = new Map<string, readonly Trunk[]>()
  const ways = new Map<string, string>()
  for (const [prefix, list] of routesOf(directory)) {
    const key = list.map(({ name }) => name).join()
    if (list.length > 0) lists.set(key, list)
    const place = [...lists.keys()].indexOf(key)
    ways.set(prefix, list.length === 0 ? refuse('no trunk') : `Goto(${partOf(trunks, place)},\${TL_SEND},1)`)
  }
  return [
    section(routes, prefixTable(ways, refuse('no trunk'))),
    ...[...lists.values()].map((list, place) => section(partOf(trunks, place), trunkExtensions(directory, list))),
  ].join('')
}

/** Returns the routes: the tenant's own precede shared ones, whichever prefix is longer. */
function routesOf({ tenant, trunkRoutes, trunks }: TenantDirectory): Map<string, readonly Trunk[]> {
  const own = trunkRoutes.filter(({ tenant_id }) => tenant_id === tenant.id)
  const ofAll = trunkRoutes.filter(
    ({ tenant_id, prefix }) => tenant_id === null && !own.some(route => prefix.startsWith(route.prefix)),
  )
  const found = new Map<string, readonly Trunk[]>()
  for (const { prefix, trunks: names } of [...own, ...ofAll])
    if (!found.has(prefix)) found.set(prefix, names.flatMap(name => trunks.get(name) ?? []).filter(isUsable))
  return found
}

export const isUsable = (trunk: Trunk): boolean => isActive(trunk.status) && trunkProblem(trunk) === null

/** Returns the trunks that the tenant's calls may take. */
export const reachable = (directory: TenantDirectory): readonly Trunk[] => [
  ...new Set([...routesOf(directory).values()].flat()),
]

/** Returns the caller that each reachable trunk is shown for an extension's calls. */
export const callersOf = (directory: TenantDirectory, extension: SwitchExtension): string[] =>
  reachable(directory).map(trunk => `Set(TL_ID${trunk.id}=${callerShown(trunk, extension, directory) ?? 'anonymous'})`)

function trunkExtensions(directory: TenantDirectory, list: readonly Trunk[]): string[] {
  const { dialling } = directory
  const code = callingCode(dialling)
  const short = exten('_X!', ...dialSteps(list, () => `\${EXTEN}`))
  const formed = (digits: string, taken: number) =>
    dialSteps(list, ({ numberForm }) => {
      const form = inForm(numberForm, { digits, short: null, isEmergency: false }, dialling)
      return `${form.slice(0, form.length - 1)}\${EXTEN:${taken}}`
    })
  // One digit stands for the rest of the number, and its first one is kept if that begins no country code.
  const foreign = dialSteps(list, ({ numberForm }) => {
    const digits = code.startsWith('9') ? '8' : '9'
    const form = inForm(numberForm, { digits, short: null, isEmergency: false }, dialling)
    return `${form.slice(0, -1)}\${EXTEN:1}`
  })
  const isSplit = code !== '' && list.some(({ numberForm }) => numberForm === 'national')
  return [
    short,
    exten('_+X!', ...foreign),
    ...(isSplit ? [exten(`_+${code}X!`, ...formed(`${code}5`, code.length + 1))] : []),
  ]
}

/** Renders a Dial for each trunk, whose number `number` formats; skips a trunk with all its calls in use. */
function dialSteps(list: readonly Trunk[], number: (trunk: Trunk) => string): string[] {
  const tried = list.flatMap((trunk, index) => {
    const { id, name, maxCalls } = trunk
    const next = `t${index + 1}`
    const isLast = index === list.length - 1
    return [
      `(t${index})Set(GROUP(tl_trunk)=${name})`,
      ...(maxCalls === null
        ? []
        : [`GotoIf($[\${GROUP_COUNT(${name}@tl_trunk)} > ${maxCalls} & \${TL_FREE} = 0]?${next})`]),
      toTrunk(trunk, number(trunk)),
      `Dial(\${TL_TO},${RINGS},ib(tl-caller^\${TL_ID${id}}^1)\${TL_LENGTH})`,
      ...(isLast ? [] : [`GotoIf($["\${DIALSTATUS}" = "CHANUNAVAIL" | "\${DIALSTATUS}" = "CONGESTION"]?${next}:end)`]),
    ]
  })
  return [...tried, `(end)Hangup(\${HANGUPCAUSE})`, `(t${list.length})${refuse('no trunk')}`]
}
