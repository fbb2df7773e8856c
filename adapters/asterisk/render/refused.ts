import { REFUSALS, type Refusal } from '../../../core/switching/decision.ts'

/** The context in which refused calls end. */
export const REFUSED = 'tl-refused'
/** The event that reports a refused call. */
export const REFUSED_EVENT = 'TrunklineRefused'

/** Whose limit has refused a call, and whether that limits calls in progress, or what they use in an hour or a day. */
export const REACHED = ['tenant full', 'extension full', 'tenant spent', 'extension spent'] as const
export type Reached = (typeof REACHED)[number]
export type RefusedBy = Refusal | Reached

/** Returns the extension of the context for that reason. */
export const asName = (reason: RefusedBy): string => reason.replaceAll(' ', '_')

const REASONS = new Map([...REFUSALS, ...REACHED].map(reason => [asName(reason), reason]))

/** Returns the reason with that name; null for any other text. */
export const reasonNamed = (name: string): RefusedBy | null => REASONS.get(name) ?? null

const NOT_PERMITTED = 21
const NO_SUCH_NUMBER = 1
const NOT_ACTIVE = 20

/** What phones and carriers receive, as Q.850 causes. */
const CAUSES: Readonly<Partial<Record<RefusedBy, number>>> = {
  'extension not active': NOT_ACTIVE,
  'queue not active': NOT_ACTIVE,
  'DID not active': NOT_ACTIVE,
  'no route': NOT_ACTIVE,
  'unfit number': NO_SUCH_NUMBER,
  'unknown number': NO_SUCH_NUMBER,
  'unknown DID': NO_SUCH_NUMBER,
  'DID of another trunk': NO_SUCH_NUMBER,
  'no voicemail': NO_SUCH_NUMBER,
  'no trunk': 34,
}

/** Asterisk may lack the module of UserEvent: then a call is refused all the same. */
const REPORT = `TryExec(UserEvent(${REFUSED_EVENT},Refusal: \${EXTEN},Tenant: \${CHANNEL(accountcode)},Extension: \${TL_EXT},Dialled: \${TL_DIALLED}))`

/** Returns the steps for each reason, by its name. */
export const refusedSteps = (): readonly (readonly [name: string, ...steps: string[]])[] =>
  [...REASONS].map(([name, reason]) => [name, REPORT, `Hangup(${CAUSES[reason] ?? NOT_PERMITTED})`])
