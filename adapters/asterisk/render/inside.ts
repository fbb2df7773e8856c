import { isActive } from '../../../core/rating/deck.ts'
import { FETCH_VOICEMAIL } from '../../../core/switching/decide-call.ts'
import type { Target } from '../../../core/switching/decision.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import { isFitE164, isFitNumber } from '../../../core/switching/fit.ts'
import { type End, endRefusal, insideTargets } from '../../../core/switching/inside.ts'
import { contexts, endpointId, exten, refuse, refuseIf, section, toReader } from './lines.ts'

/**
 * The contexts for the tenant's own numbers: extensions, queues and DIDs. `full` refuses a call if too many are in
 * progress.
 */
export function insideContexts(directory: TenantDirectory, full: string | null, reader: string): string {
  const { slug } = directory.tenant
  const names = contexts(slug)
  const numbers = new Set([...directory.extensions.keys(), ...directory.queues.keys()].filter(isFitNumber))
  const ends = [...numbers].map(number => {
    const type = directory.extensions.has(number) ? 'extension' : 'queue'
    return exten(number, ...checked(full, endSteps(directory, [{ type, number }])))
  })
  const dids = ownDids(directory)
  const dialled = dids
    .filter(({ digits }) => !isFitE164(digits))
    .flatMap(({ digits, did: { number } }) =>
      [...new Set([number, digits])]
        .filter(form => isFitNumber(form) && !numbers.has(form) && directory.dialling.read(form).digits === digits)
        .map(form => exten(form, ...checked(full, [`Goto(${names.dids},${digits},1)`]))),
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
      dids.map(({ digits, did }) => exten(asExten(digits), ...didSteps(directory, did.status, did.targets))),
    ),
  ].join('')
}

/** Returns the tenant's own DIDs that can be called. */
export const ownDids = ({ tenant, dids }: TenantDirectory) =>
  [...dids]
    .filter(([digits, did]) => did.tenantId === tenant.id && isFitNumber(digits))
    .map(([digits, did]) => ({ digits, did }))

/** Formats a DID for the dialplan, and so for the call's record. */
export const asExten = (digits: string): string => (isFitE164(digits) ? `+${digits}` : digits)

export const checked = (full: string | null, steps: readonly string[]): string[] =>
  full === null ? [...steps] : [full, ...steps]

/** A mailbox opens only to a call that its own phone places: it has no PIN. */
const mailboxSteps = (context: string, full: string | null): string[] => [
  refuseIf(`$["\${TL_BOX}" = "" | "\${BLINDTRANSFER}" != ""]`, 'mailbox'),
  ...checked(full, [`VoiceMailMain(\${TL_BOX}@${context},s)`, 'Hangup()']),
]

function didSteps(directory: TenantDirectory, status: string, targets: readonly End[]): string[] {
  if (!isActive(status)) return [refuse('inactive')]
  const ends = targets.filter(end => endRefusal(directory, end) === null)
  return ends.length === 0 ? [refuse('inactive')] : endSteps(directory, ends)
}

function endSteps(directory: TenantDirectory, ends: readonly End[]): string[] {
  const [first] = ends
  if (first && endRefusal(directory, first)) return [refuse('inactive')]
  const steps = insideTargets(directory, ends).map(target => targetStep(directory.tenant.slug, target))
  return [...steps, `Hangup(\${HANGUPCAUSE})`]
}

/**
 * A phone that redirects a call to another number (302) is not followed: the redirected call would be its own, and
 * unchecked.
 */
function targetStep(slug: string, target: Target): string {
  switch (target.to) {
    case 'extension':
      return `Dial(${dialString(slug, target.extension.number, target.extension.devices)},${target.rings},i)`
    case 'queue':
      return `Queue(${endpointId(slug, target.queue.number)},,,,${target.queue.timeout})`
    case 'voicemail':
      return `VoiceMail(${target.extension.number}@${contexts(slug).voicemail},u)`
    case 'mailbox':
    case 'trunk':
      throw new Error('Only its own phone opens a mailbox, and a trunk is not inside.')
  }
}

/** If several phones are registered, all ring; `PJSIP/id` alone rings only one, and fails cleanly if there is none. */
function dialString(slug: string, number: string, devices: number): string {
  const id = endpointId(slug, number)
  const all = `\${PJSIP_DIAL_CONTACTS(${id})}`
  return devices === 1 ? `PJSIP/${id}` : `\${IF($["${all}" = ""]?PJSIP/${id}:${all})}`
}
