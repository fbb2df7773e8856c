import { AppError } from '../../core/errors.ts'
import { addToTrail, type Deed } from '../../core/use-cases/records/trail.ts'
import { type Context, say } from './context.ts'
import { CliError } from './exit.ts'

/** Notes a deed in the audit trail. A failure is only reported: a full disk must not stop a backup. */
export async function noteDeed(context: Context, deed: Deed): Promise<void> {
  try {
    await addToTrail(await context.open(), deed)
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
