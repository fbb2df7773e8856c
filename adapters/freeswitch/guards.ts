/**
 * Global variables of FreeSWITCH. An INVITE with Replaces makes it run the applications that the INVITE itself names,
 * or those that the other call runs, without a lookup. With these, all such a call gets is an answer and its end.
 */
export const GLOBALS = {
  // What the other call runs, if it runs nothing yet.
  current_application: 'hangup',
  current_application_data: 'CALL_REJECTED',
  // Each leg that Trunkline has decided on has `ASKED` in its place.
  execute_on_answer_unasked: 'hangup CALL_REJECTED',
  // A transfer can leave a leg with the dialplan inline, which runs what the next transfer names.
  force_transfer_dialplan: 'XML',
} as const

/** Keeps a leg that is answered. */
export const ASKED = 'execute_on_answer_unasked=eval'

/**
 * Seconds that FreeSWITCH waits until a record is stored. The call counts for limits as long; a daemon that waits for
 * the database does so for less.
 */
export const RECORD_SECONDS = 30
