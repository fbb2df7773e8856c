import { createHash } from 'node:crypto'
import type { Trunk } from '../../../core/switching/directory.ts'
import { TRIED } from './ended.ts'
import { exten, section, trunkId } from './lines.ts'
import { escaped, trunkUri } from './pjsip.ts'

/** The context with a subroutine for each trunk, which sets `TL_TO` to what a call to its argument dials. */
const CALLED = 'tl-to'

/** Returns the step that sets `TL_TO` to what a call of the number through the trunk dials. */
export const toTrunk = ({ id }: Trunk, number: string): string => `Gosub(${CALLED},t${id},1(${number}))`

/**
 * Asterisk refuses calls to a carrier that does not answer its OPTIONS. That is right for one that did answer before,
 * so the next trunk is tried at once; but some carriers never answer them, and take calls. The former are remembered in
 * Asterisk's database, by name and address; the latter are called at their address, which skips the refusal.
 */
export const trunkCalls = (trunks: readonly Trunk[]): string => section(CALLED, trunks.map(steps))

function steps(trunk: Trunk): string {
  const id = trunkId(trunk.name)
  const contact = `${id}@@${createHash('md5').update(trunkUri(trunk)).digest('hex')}`
  const answered = `DB(trunkline-answers/${contact})`
  const isFirst = (status: string): string => `$["\${state}" = "${status}" & "\${${answered}}" = ""]`
  return exten(
    `t${trunk.id}`,
    `Set(LOCAL(state)=\${PJSIP_CONTACT(${contact},status)})`,
    `ExecIf(${isFirst('Reachable')}?Set(${answered}=1))`,
    `Set(TL_TO=PJSIP/\${ARG1}@${id})`,
    `ExecIf($["\${state}" != "Unreachable" | "\${${answered}}" = ""]?Set(${TRIED}=1))`,
    `ExecIf(${isFirst('Unreachable')}?Set(TL_TO=PJSIP/${id}/${escaped(trunkUri(trunk, `\${ARG1}`))}))`,
    'Return()',
  )
}
