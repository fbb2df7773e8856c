import { exten, section } from './lines.ts'

/**
 * The family of Asterisk's own database that holds the outgoing calls that have ended, below whoever has a limit on what
 * they use. The dialplan counts them until the daemon removes them: what it renders counts their records then.
 */
export const ENDED = 'trunkline-ended'
const NOTE = 'tl-ended'

/** Returns the name of a tenant, or of one of its extensions, below the family; counting knows `_` and `%` as wildcards. */
export const endedBy = (tenantId: number, extension?: string): string =>
  extension === undefined ? `${tenantId}` : `${tenantId}-${extension}`

/** Returns the step that has the end of this channel noted. */
export const noteEnd = (by: string): string => `Set(CHANNEL(hangup_handler_push)=${NOTE},s,1(${by}))`

/** Returns the expression of how many calls are noted: none in an Asterisk older than that function. */
export const endedCount = (by: string): string => `0\${DB_KEYCOUNT(${ENDED}/${by})}`

/** The variable of a line that has called a carrier: not one known to be away, for which Asterisk makes no channel. */
export const TRIED = 'TL_TRIED'

/** A call leaves a record if there was a channel to a carrier, whatever that answered. */
export const endedContext = (): string =>
  section(NOTE, [
    exten(
      's',
      `ExecIf($["\${DIALSTATUS}" = "" | "\${DIALSTATUS}" = "CHANUNAVAIL" & "\${${TRIED}}" = ""]?Return())`,
      `Set(DB(${ENDED}/\${ARG1}/\${UNIQUEID})=\${EPOCH})`,
      'Return()',
    ),
  ])

/** Of 0.2 s each; a record usually takes less than a second. */
const MOST_WAITS = 10

/**
 * Returns the steps that hold a call up while ended calls are noted: every 0.2 s it begins again in this context, which
 * refuses it if their records have reached a limit. After two seconds it goes on.
 */
export const waitForRecords = (by: string, context: string): string[] => [
  `GotoIf($[${endedCount(by)} < 1 | 0\${TL_WAITED} > ${MOST_WAITS - 1}]?known)`,
  `Set(TL_WAITED=$[0\${TL_WAITED} + 1])`,
  'Wait(0.2)',
  `Goto(${context},\${EXTEN},1)`,
  '(known)NoOp()',
]
