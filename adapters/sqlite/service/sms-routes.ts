import type { SmsRoutes } from '../../../core/ports/sms-routes.ts'
import type { SmsRoute } from '../../../core/sms/routes.ts'
import type { Connection } from '../database/database.ts'
import type { Writer } from '../database/writer.ts'

interface RouteRow {
  readonly id: number
  readonly tenant_id: number | null
  readonly prefix: string
  readonly gateways: string
}

/** The storage port for routes of messages. */
export function smsRoutes({ query }: Connection, writer: Writer): SmsRoutes {
  const all = query<[], RouteRow>('SELECT * FROM sms_routes ORDER BY tenant_id, prefix, id')
  const same = query<[number | null, string], unknown>('DELETE FROM sms_routes WHERE tenant_id IS ? AND prefix = ?')
  const insert = query<[number | null, string, string], unknown>(
    'INSERT INTO sms_routes (tenant_id, prefix, gateways) VALUES (?, ?, ?)',
  )
  const discard = query<[number], unknown>('DELETE FROM sms_routes WHERE id = ?')
  return {
    all: async () => all.all().map(row => ({ ...row, gateways: idsIn(row.gateways) })),
    set: ({ tenant_id, prefix, gateways }) =>
      writer.write((): SmsRoute => {
        same.run(tenant_id, prefix)
        const { lastInsertRowid } = insert.run(tenant_id, prefix, JSON.stringify(gateways))
        return { id: Number(lastInsertRowid), tenant_id, prefix, gateways }
      }),
    remove: id => writer.write(() => discard.run(id).changes > 0),
  }
}

function idsIn(text: string): readonly number[] {
  const ids: unknown = JSON.parse(text)
  return Array.isArray(ids) ? ids.map(Number) : []
}
