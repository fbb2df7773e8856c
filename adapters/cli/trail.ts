import type { Changes, SecurityAction } from '../../core/audit.ts'
import { AppError } from '../../core/errors.ts'
import { type Context, say } from './context.ts'
import { CliError } from './exit.ts'

/** An action that changes no record, but must be on record. */
export interface Deed {
  readonly action: SecurityAction
  readonly resource: string
  readonly id?: number
  readonly changes: Changes
}

/** Notes it in the audit trail. A failure is only reported: a full disk must not stop a backup. */
export async function noteDeed(context: Context, { action, resource, id, changes }: Deed): Promise<void> {
  try {
    const { audit } = await context.open()
    await audit.note(action, resource, id ?? null, changes)
  } catch (error) {
    if (!(error instanceof AppError || error instanceof CliError)) throw error
    say(context, `warning: the audit trail could not be written: ${error.message}`)
  }
}

/** Notes that secrets were shown on request. */
export async function noteShown(context: Context, resource: string, isShown: boolean, id?: number): Promise<void> {
  const changes = { secrets: 'shown' }
  if (isShown) await noteDeed(context, { action: 'export', resource, ...(id === undefined ? {} : { id }), changes })
}
