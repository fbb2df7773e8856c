import type { Logger } from 'pino'
import { isJsonObject, parseJson, stringifyJson } from '../../../core/json.ts'
import type { Records } from '../../../core/ports/records.ts'
import { resources } from '../../../core/resources/all.ts'
import { unreadIn, unreadProblem } from '../../../core/resources/values/unread.ts'
import type { UnreadListener } from '../../../core/use-cases/records/administer.ts'

const MOST = 10_000

/** Logs values that no rule can read, each once for a record. */
export function unreadLog(log: Logger): UnreadListener {
  const logged = new Set<string>()
  return ({ name }, id, unread) => {
    for (const each of unread) {
      const place = [each.field, ...each.path].join('.')
      const key = `${name} ${id} ${place}`
      if (logged.has(key) || logged.size === MOST) continue
      logged.add(key)
      const { predicate } = unreadProblem(each)
      log.warn(
        { resource: name, id, problem: `${each.field} ${predicate}` },
        'no rule can read this: see trunkline doctor',
      )
    }
  }
}

/** Reports stored JSON values that no rule can read, whoever stored them. */
export async function findUnread(records: Records, onUnread: UnreadListener, signal: AbortSignal): Promise<void> {
  for (const resource of resources) {
    const withKeys = Object.entries(resource.fields).filter(([, { keys }]) => keys)
    if (withKeys.length === 0) continue
    for await (const page of records.list(resource, { view: 'plain' })) {
      if (signal.aborted) return
      const rows: unknown = parseJson(`[${page.json}]`)
      for (const row of Array.isArray(rows) ? rows.filter(isJsonObject) : []) {
        const values = withKeys.map(([name]) => [name, row[name] === null ? null : stringifyJson(row[name])] as const)
        onUnread(
          resource,
          Number(row.id),
          unreadIn({ fields: Object.fromEntries(withKeys) }, Object.fromEntries(values)),
        )
      }
    }
  }
}
