import type { Notice, Notices } from '../../../core/ports/notices.ts'
import type { Clock } from '../../../core/ports/system.ts'
import type { Connection } from '../database/database.ts'
import type { Writer } from '../database/writer.ts'

export const notices = ({ query }: Connection, writer: Writer, clock: Clock): Notices => ({
  raise: ({ code, subject, detail }) =>
    writer.write(() => {
      const now = clock.now()
      query<string[], unknown>(
        `INSERT INTO notices (code, subject, detail, first_at, last_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (code, subject) DO UPDATE SET detail = excluded.detail, last_at = excluded.last_at`,
      ).run(code, subject, detail, now, now)
    }),
  clear: (code, subject = '') =>
    writer.write(() => {
      query<[string, string], unknown>('DELETE FROM notices WHERE code = ? AND subject = ?').run(code, subject)
    }),
  list: async () =>
    query<[], Notice>(
      'SELECT code, subject, detail, first_at AS firstAt, last_at AS lastAt FROM notices ORDER BY code, subject',
    ).all(),
})
