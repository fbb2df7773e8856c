import { existsSync, statSync } from 'node:fs'
import type { Maintenance, Statistics } from '../../../core/ports/system.ts'
import { resources } from '../../../core/resources/all.ts'
import { tableOf } from '../../sql/table.ts'
import { alreadyThere, copyDatabase, findings } from '../database/copy-file.ts'
import type { Connection } from '../database/database.ts'
import { schemaVersion } from '../database/migrate.ts'
import { isServed } from '../database/serving.ts'
import { strays } from '../database/within.ts'

/** Returns the size in bytes; 0 if there is no file. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

export function maintenance(connection: Connection): Maintenance {
  const { db, path, value } = connection
  return {
    statistics: async () => ({
      path,
      bytes: sizeOf(path),
      logBytes: sizeOf(`${path}-wal`),
      server: null,
      schema: schemaVersion(db),
      counts: Object.fromEntries(
        resources.map(({ name }) => [name, value<[], number>(`SELECT count(*) FROM ${tableOf(name)}`).get() ?? 0]),
      ),
      lastWrites: lastWrites(connection),
    }),
    backup: async to => {
      if (existsSync(to)) throw alreadyThere(to)
      return { bytes: copyDatabase(db, to) ?? 0 }
    },
    check: async () => findings(db),
    callMonths: async () => null,
    strays: async resource => strays(connection, resource),
    shared: async ({ name, key }) =>
      value<[], string>(
        `SELECT json_group_array(id) FROM ${tableOf(name)} GROUP BY ${key.join()} HAVING count(*) > 1 ORDER BY max(id) DESC`,
      )
        .all()
        .map(idsIn),
    held: async ({ name }, field) =>
      value<[], string>(`SELECT DISTINCT ${field} FROM ${tableOf(name)} ORDER BY 1`).all(),
    lastBeat: async () => value<[], string>('SELECT beaten_at FROM heartbeat').get() ?? null,
    isServed: async () => isServed(path),
  }
}

const idsIn = (json: string): number[] => {
  const ids: unknown = JSON.parse(json)
  return Array.isArray(ids) ? ids.map(Number).sort((a, b) => b - a) : []
}

/** The newest record reveals what the trail does not note, such as a switch's calls. */
function lastWrites({ rows, value }: Connection): Statistics['lastWrites'] {
  const noted = new Map(rows<[], [string, string]>('SELECT resource, max(at) FROM audit GROUP BY resource').all())
  const newest = (name: string): string | undefined =>
    value<[], string>(`SELECT updated_at FROM ${tableOf(name)} ORDER BY id DESC LIMIT 1`).get()
  return Object.fromEntries(
    resources.map(({ name, timestamps }) => {
      const moments = [noted.get(name) ?? '', (timestamps && newest(name)) || ''].sort()
      return [name, moments.at(-1) || null]
    }),
  )
}
