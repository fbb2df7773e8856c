import { randomBytes } from 'node:crypto'
import type { ServerKeys } from '../../../core/ports/server-keys.ts'
import type { Connection } from '../database/database.ts'
import type { Writer } from '../database/writer.ts'

export const serverKeys = ({ query, value }: Connection, writer: Writer): ServerKeys => ({
  find: async name => {
    const stored = value<[string], string>('SELECT value FROM server_keys WHERE name = ?')
    return (
      stored.get(name) ??
      writer.write(() => {
        query<[string, string], unknown>('INSERT OR IGNORE INTO server_keys (name, value) VALUES (?, ?)').run(
          name,
          randomBytes(32).toString('base64url'),
        )
        return stored.get(name) ?? ''
      })
    )
  },
})
