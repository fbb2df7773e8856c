import { isActive } from '../../../core/rating/deck.ts'
import { FETCH_VOICEMAIL } from '../../../core/switching/decide-call.ts'
import type { Refusal, Target } from '../../../core/switching/decision.ts'
import type { SwitchDid, SwitchExtension, TenantDirectory } from '../../../core/switching/directory.ts'
import { isFitE164, isFitNumber } from '../../../core/switching/fit.ts'
import { type End, endRefusal, insideTargets } from '../../../core/switching/inside.ts'
import { contexts, endpointId, exten, queueName, refuse, refuseIf, section, toReader } from './lines.ts'
import { TO_PHONE } from './to-phone.ts'

/**
 * The contexts for the tenant's own numbers: extensions, queues and DIDs. `full` refuses a call if too many are in
 * progress.
 */
export function insideContexts(directory: TenantDirectory, full: readonly string[], reader: string): string {
  const { slug } = directory.tenant
  const names = contexts(slug)
  const numbers = new Set([...directory.extensions.keys(), ...directory.queues.keys()].filter(isFitNumber))
  const ends = [...numbers].map(number => {
    const type = directory.extensions.has(number) ? 'extension' : 'queue'
    const refusal = endRefusal(directory, { type, number })?.refusal
    return exten(number, ...(refusal ? [refuse(refusal)] : [...full, ...endSteps(directory, [{ type, number }])]))
  })
  const dids = ownDids(directory)
  const dialled = dids
    .filter(({ digits }) => !isFitE164(digits))
    .flatMap(({ digits, did }) =>
      [...new Set([did.number, digits])]
        .filter(form => isFitNumber(form) && !numbers.has(form) && directory.dialling.read(form).digits === digits)
        .map(form => exten(form, ...toDid(directory, { digits, did }, full))),
    )
  return [
    section(names.inside, [
      ...ends,
      ...dialled,
      ...(numbers.has(FETCH_VOICEMAIL) ? [] : [exten(FETCH_VOICEMAIL, ...mailboxSteps(names.voicemail, full))]),
      exten('_[+*#0-9]!', toReader(reader)),
    ]),
    section(
      names.dids,
      dids.map(({ digits, did }) => exten(asExten(digits), ...didSteps(directory, did))),
    ),
  ].join('')
}

/** Returns the steps to a DID of the tenant's own for a call that one of its extensions places. */
export function toDid(directory: TenantDirectory, { digits, did }: OwnDid, full: readonly string[]): string[] {
  const refusal = didRefusal(directory, did)
  const { dids } = contexts(directory.tenant.slug)
  return refusal ? [refuse(refusal)] : [...full, `Goto(${dids},${asExten(digits)},1)`]
}

interface OwnDid {
  readonly digits: string
  readonly did: SwitchDid
}

/** Returns the tenant's own DIDs that can be called. */
export const ownDids = ({ tenant, dids }: TenantDirectory): OwnDid[] =>
  [...dids]
    .filter(([digits, did]) => did.tenantId === tenant.id && isFitNumber(digits))
    .map(([digits, did]) => ({ digits, did }))

/** Formats a DID for the dialplan, and so for the call's record. */
export const asExten = (digits: string): string => (isFitE164(digits) ? `+${digits}` : digits)

/** A mailbox opens only to a call that its own phone places: it has no PIN. */
const mailboxSteps = (context: string, full: readonly string[]): string[] => [
  refuseIf(`$["\${TL_BOX}" = "" | "\${BLINDTRANSFER}" != ""]`, 'no voicemail'),
  ...full,
  ...[`VoiceMailMain(\${TL_BOX}@${context},s)`, 'Hangup()'],
]

const openEnds = (directory: TenantDirectory, { targets }: SwitchDid): readonly End[] =>
  targets.filter(end => endRefusal(directory, end) === null)

/** Returns why no call for a DID is connected; null if calls are. */
export function didRefusal(directory: TenantDirectory, did: SwitchDid): Refusal | null {
  if (!isActive(did.status)) return 'DID not active'
  return openEnds(directory, did).length === 0 ? 'no route' : null
}

function didSteps(directory: TenantDirectory, did: SwitchDid): string[] {
  const refusal = didRefusal(directory, did)
  return refusal ? [refuse(refusal)] : endSteps(directory, openEnds(directory, did))
}

function endSteps(directory: TenantDirectory, ends: readonly End[]): string[] {
  const steps = insideTargets(directory, ends).flatMap(target => targetSteps(directory.tenant.slug, target))
  return [...steps, `Hangup(\${HANGUPCAUSE})`]
}

/**
 * A phone that redirects a call (302) is not followed, by the option `i`: it would be called unchecked, and a redirection
 * may name any channel, such as a carrier's.
 */
function targetSteps(slug: string, target: Target): string[] {
  switch (target.to) {
    case 'extension':
      return dialSteps(slug, target.extension, target.rings)
    case 'queue':
      return [`Queue(${queueName(slug, target.queue.number)},i${TO_PHONE},,,${target.queue.timeout})`]
    case 'voicemail':
      return [`VoiceMail(${target.extension.number}@${contexts(slug).voicemail},u)`]
    case 'mailbox':
    case 'trunk':
      throw new Error('Only its own phone opens a mailbox, and a trunk is not inside.')
  }
}

/** If several phones are registered, all ring; `PJSIP/id` alone rings only one, and fails cleanly if there is none. */
function dialSteps(slug: string, { number, devices }: SwitchExtension, rings: number): string[] {
  const id = `PJSIP/${endpointId(slug, number)}`
  if (devices === 1) return [`Dial(${id},${rings},i${TO_PHONE})`]
  return [
    `Set(TL_TO=\${PJSIP_DIAL_CONTACTS(${endpointId(slug, number)})})`,
    `ExecIf($[\${REGEX("${contactsOf(id)}" \${TL_TO})} = 0]?Set(TL_TO=${id}))`,
    `Dial(\${TL_TO},${rings},i${TO_PHONE})`,
  ]
}

/** A pattern of the contacts of a phone, which chooses their text: it must not be able to name another channel to dial. */
function contactsOf(id: string): string {
  const contact = `${id.replace(/[.*+]/g, '[$&]')}/sips?:[^&,/()|?]+`
  return `^${contact}(&${contact})*$`
}
