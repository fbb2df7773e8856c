import { isActive } from '../../../core/rating/deck.ts'
import type { DialledForm } from '../../../core/switching/dialled-forms.ts'
import type { Trunk } from '../../../core/switching/directory.ts'
import { didContexts } from './dids.ts'
import { endedContext } from './ended.ts'
import { DIALLED_LENGTHS, exten, type LeftOut, section } from './lines.ts'
import { readerContexts } from './outside.ts'
import { PJSIP_HEAD, trunkProblem, trunkSections } from './pjsip.ts'
import { REFUSED, refusedSteps } from './refused.ts'
import { isUsable } from './routes.ts'
import type { TenantText } from './tenant.ts'
import { phoneCheck } from './to-phone.ts'
import { trunkCalls } from './trunk-calls.ts'

/** In loading order: the dialplan first, since it refuses calls at once. */
export const FILES = ['extensions', 'pjsip', 'queues', 'voicemail'] as const
export type FileName = (typeof FILES)[number]

export interface Rendered {
  readonly files: Readonly<Record<FileName, string>>
  readonly leftOut: readonly LeftOut[]
}

export interface RenderedParts {
  /** By id. */
  readonly tenants: readonly Omit<TenantText, 'telephones'>[]
  /** What `pjsip.conf` holds of the telephones. */
  readonly telephones: readonly string[]
  readonly trunks: readonly Trunk[]
  /** Forms by the name of the context that reads them. */
  readonly readers: ReadonlyMap<string, readonly DialledForm[]>
}

const HEAD =
  '; Written by trunklined: changes are lost. Put your own settings into the file that includes this one.\n\n'

/** Renders the files; the same parts give the same texts. */
export function renderFiles({ tenants, telephones, trunks, readers }: RenderedParts): Rendered {
  const leftOut: LeftOut[] = tenants.flatMap(tenant => tenant.leftOut)
  const leaveOut = (left: LeftOut): number => leftOut.push(left)
  for (const trunk of trunks) {
    const why = isActive(trunk.status) ? trunkProblem(trunk) : null
    if (why !== null) leaveOut({ of: `trunk ${JSON.stringify(trunk.name)}`, why })
  }
  const joined = (part: 'extensions' | 'queues' | 'voicemail'): string => tenants.map(tenant => tenant[part]).join('')
  const usable = trunks.filter(isUsable)
  const files = {
    extensions: [
      HEAD,
      SHARED,
      trunkCalls(usable),
      ...[...readers].map(([name, forms]) => readerContexts(name, forms)),
      didContexts(
        tenants.flatMap(({ dids }) => dids),
        leaveOut,
      ),
      joined('extensions'),
    ].join(''),
    pjsip: [HEAD, PJSIP_HEAD, ...usable.map(trunkSections), ...telephones].join(''),
    queues: HEAD + joined('queues'),
    voicemail: HEAD + joined('voicemail'),
  }
  return { files, leftOut }
}

const SHARED = [
  section(
    'tl-dialled',
    DIALLED_LENGTHS.slice(0, -1).flatMap(length => {
      const digits = '[*#0-9]'.repeat(length)
      const start = `Goto(start-\${CHANNEL(accountcode)},\${EXTEN},1)`
      return [exten(`_${digits}`, start), exten(`_+${digits}`, start)]
    }),
  ),
  section(
    'tl-from-trunks',
    DIALLED_LENGTHS.slice(1, -1).flatMap(length => {
      const digits = 'X'.repeat(length)
      const to = (number: string): string[] => [`Set(TL_DIALLED=\${EXTEN})`, `Goto(tl-dids-\${EXTEN:-2},${number},1)`]
      return [exten(`_${digits}`, ...to(`\${EXTEN}`)), exten(`_+${digits}`, ...to(`\${EXTEN:1}`))]
    }),
  ),
  section('tl-caller', [
    exten('_[+0-9]!', `Set(CONNECTEDLINE(num,i)=\${EXTEN})`, 'Set(CONNECTEDLINE(name)=)', 'Return()'),
    exten('anonymous', 'Set(CONNECTEDLINE(num-pres,i)=prohib)', 'Set(CONNECTEDLINE(name)=)', 'Return()'),
  ]),
  phoneCheck(),
  endedContext(),
  section(
    REFUSED,
    refusedSteps().map(steps => exten(...steps)),
  ),
].join('')
