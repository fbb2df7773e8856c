import { Command } from 'commander'
import type { Quarantined } from '../../core/ports/calls.ts'
import { type Services, say } from './context.ts'
import { EXIT } from './exit.ts'
import { hasRules, rulesFrom, rulesOptions } from './feed-rules.ts'
import type { Flags } from './fields.ts'
import { printRows, printValue, write } from './output.ts'
import { example, type RunCommand, takesFields } from './program.ts'
import { printable } from './styles.ts'
import { cut } from './width.ts'

/** So many are tried together, which one sync makes durable. */
const AT_ONCE = 200

const COLUMNS = {
  id: 'integer',
  reason: 'text',
  record: 'text',
  seen: 'integer',
  created_at: 'date',
  format: 'text',
  feed: 'text',
} as const

/** Of a terminal that does not tell it. */
const WIDTH = 80

type Shown = Omit<Quarantined, 'rules'>

export function quarantineCommand(run: RunCommand): Command {
  const group = new Command('quarantine').description('records that could not be used: list, replay')
  group.addCommand(listCommand(run))
  group.addCommand(replayCommand(run))
  return group
}

function listCommand(run: RunCommand): Command {
  const list = new Command('list').description('the records and why they could not be used, oldest first')
  example(list, 'trunkline cdr quarantine list')
  return run(takesFields(list), async context => {
    const { calls } = await context.open()
    const rows: Shown[] = []
    for await (const { rules: _, ...shown } of calls.quarantine()) rows.push(shown)
    const { output } = context.options
    if (rows.length === 0 && output === 'table') return say(context, 'the quarantine is empty')
    const columns = context.io.stdout.isTTY && output === 'table' ? (context.io.stdout.columns ?? WIDTH) : null
    if (columns === null) await printRows(context, COLUMNS, rows)
    else await write(context.io, rows.map(row => paragraph(row, columns)).join(''))
    if (rows.length > 0)
      say(context, `${rows.length} in quarantine; mend the cause, then: trunkline cdr quarantine replay`)
  })
}

/** The reason, which has to be read, and below it as much of the record as fits. */
function paragraph({ id, reason, record, seen, feed }: Shown, columns: number): string {
  const often = seen > 1 ? ` (came ${seen} times)` : ''
  const lines = [`${id}  ${reason}${often}`, `    ${feed}: ${record}`]
  return lines.map(line => `${cut(printable(line), columns)}\n`).join('')
}

function replayCommand(run: RunCommand): Command {
  const replay = rulesOptions(new Command('replay').description('try the records again, the causes mended'))
  example(replay, 'trunkline cdr quarantine replay', 'trunkline cdr quarantine replay --tenant acme')
  return run(replay, async (context, _words, flags) => {
    const services = await context.open()
    const totals = { replayed: 0, left: 0 }
    let waiting: Quarantined[] = []
    const tryAll = async (): Promise<void> => {
      for (const isUsed of await Promise.all(waiting.map(each => retry(services, each, flags))))
        totals[isUsed ? 'replayed' : 'left']++
      waiting = []
    }
    for await (const quarantined of services.calls.quarantine()) {
      waiting.push(quarantined)
      if (waiting.length === AT_ONCE) await tryAll()
    }
    await tryAll()
    await printValue(context, totals, () => `replayed ${totals.replayed}, left ${totals.left}\n`)
    return totals.left > 0 ? EXIT.negative : EXIT.ok
  })
}

const retry = ({ calls, readRecord }: Services, quarantined: Quarantined, flags: Flags): Promise<boolean> => {
  const rules = hasRules(flags) ? rulesFrom(flags, quarantined.rules) : quarantined.rules
  return calls.replay({ ...quarantined, rules }, readRecord(quarantined.format, quarantined.record))
}
