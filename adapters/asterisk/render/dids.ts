import { planOf } from '../../../core/dialling/plan.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'

import { callingCode } from '../../../core/switching/number-form.ts'
import { asExten, didRefusal, ownDids } from './inside.ts'
import { NO_LIMIT } from './limits.ts'
import { caseless, contexts, exten, type LeftOut, refuse, refuseIf, section } from './lines.ts'

/** A number that carriers call, without a plus, and where the call goes. */
export interface DidEntry {
  readonly number: string
  /**
   * True if written with its country code. Such a number precedes another tenant's local number with the same digits.
   */
  readonly isWhole: boolean
  readonly didId: number
  readonly slug: string
  readonly steps: readonly string[]
}

/** Returns every form in which a carrier may write each of the tenant's DIDs. */
export function didEntries(directory: TenantDirectory): DidEntry[] {
  const { tenant, trunks, limits } = directory
  const { slug } = tenant
  const { dids } = contexts(slug)
  const most = limits.tenant.most.concurrent_calls ?? NO_LIMIT
  const full =
    most < NO_LIMIT ? [refuseIf(`$[\${GROUP_COUNT(${caseless(slug)}@tl_tenant)} > ${most}]`, 'tenant full')] : []
  return ownDids(directory).flatMap(({ digits, did }) => {
    const { id, provider, number } = did
    const isOfTrunk = trunks.has(provider)
    const refusal = didRefusal(directory, did)
    const steps = [
      ...(isOfTrunk ? [refuseIf(`$["\${TL_TRUNK}" != "${provider}"]`, 'DID of another trunk')] : []),
      `Set(CHANNEL(accountcode)=${slug})`,
      `Set(GROUP(tl_tenant)=${caseless(slug)})`,
      ...(refusal ? [refuse(refusal)] : [...full, `Goto(${dids},${asExten(digits)},1)`]),
    ]
    return formsOf(directory, digits, number).map(form => ({
      ...{ number: form, isWhole: form === digits, didId: id, slug, steps },
    }))
  })
}

function formsOf({ dialling }: TenantDirectory, digits: string, number: string): string[] {
  const code = callingCode(dialling)
  const plan = dialling.country === null ? null : planOf(dialling.country)
  const national = plan && digits.startsWith(code) ? digits.slice(code.length) : null
  const forms = [
    digits,
    `00${digits}`,
    number.replace(/^\+/, ''),
    ...(national ? [national, (plan?.trunk ?? '') + national] : []),
  ]
  const isRead = (form: string): boolean =>
    [`+${form}`, form].map(each => dialling.read(each).digits).find(read => read !== '') !== undefined &&
    [`+${form}`, form].some(each => dialling.read(each).digits === digits)
  return [...new Set(forms)].filter(form => /^[0-9]{2,30}$/.test(form) && isRead(form))
}

/** By the last two digits, since a context with very many extensions loads slowly. */
const SHARDS = Array.from({ length: 100 }, (_, shard) => String(shard).padStart(2, '0'))

/** Renders the contexts for carriers' calls. A number of two tenants belongs to the DID with the smaller id. */
export function didContexts(entries: readonly DidEntry[], leaveOut: (left: LeftOut) => void): string {
  const byNumber = new Map<string, DidEntry>()
  const inOrder = entries.toSorted((a, b) => Number(b.isWhole) - Number(a.isWhole) || a.didId - b.didId)
  for (const entry of inOrder) {
    const owner = byNumber.get(entry.number)
    if (!owner) byNumber.set(entry.number, entry)
    else if (owner.slug !== entry.slug && entry.isWhole)
      leaveOut({ of: `DID ${entry.number} of tenant ${entry.slug}`, why: `tenant ${owner.slug} has the same number` })
  }
  const shards = new Map(SHARDS.map(shard => [shard, [] as string[]]))
  for (const { number, steps } of [...byNumber.values()].toSorted((a, b) => (a.number < b.number ? -1 : 1)))
    shards.get(number.slice(-2))?.push(exten(number, ...steps))
  return [...shards]
    .map(([shard, lines]) => section(`tl-dids-${shard}`, [...lines, exten('_X!', refuse('unknown DID'))]))
    .join('')
}
