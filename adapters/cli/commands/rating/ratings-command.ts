import { Command } from 'commander'
import { cdrs } from '../../../../core/resources/cdrs.ts'
import { callRatings } from '../../../../core/use-cases/calls/call-ratings.ts'
import { say } from '../../context.ts'
import { example } from '../../help.ts'
import { resolve } from '../../naming/references.ts'
import { type RunCommand, takesFields } from '../../program.ts'
import { printRows } from '../../terminal/output.ts'

const COLUMNS = {
  direction: 'text',
  outcome: 'text',
  prefix: 'text',
  cost_per_minute: 'decimal',
  billing_increment: 'integer',
  bill_seconds: 'integer',
  cost: 'decimal',
  replaced_at: 'date',
} as const

export function ratingsCommand(run: RunCommand): Command {
  const command = new Command('ratings')
    .description('the rates that a call from a switch was rated by: at first, at each rerating, and now')
    .argument('<ID>')
  example(command, 'trunkline cdr ratings 1')
  return run(takesFields(command), async (context, [id = '']) => {
    const services = await context.open()
    const ratings = await callRatings(services, await resolve(services.records, cdrs, id))
    if (ratings.length === 0 && context.options.output === 'table')
      return say(context, 'no switch delivered this call: its cost was entered by hand')
    return printRows(context, COLUMNS, ratings)
  })
}
