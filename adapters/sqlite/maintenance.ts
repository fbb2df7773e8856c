import { existsSync, statSync } from 'node:fs'
import { AppError } from '../../core/errors.ts'
import type { Maintenance } from '../../core/ports.ts'
import { resources } from '../../core/resources/all.ts'
import { copyDatabase, findings } from './copies.ts'
import type { Connection } from './database.ts'
import { translate } from './errors.ts'
import { schemaVersion } from './migrate.ts'

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0)

export function maintenance({ db, path, value }: Connection): Maintenance {
  return {
    statistics: async () => ({
      path,
      bytes: sizeOf(path),
      logBytes: sizeOf(`${path}-wal`),
      schema: schemaVersion(db),
      counts: Object.fromEntries(
        resources.map(({ name }) => [name, value<[], number>(`SELECT count(*) FROM ${name}`).get() ?? 0]),
      ),
      lastWrites: Object.fromEntries(
        resources
          .filter(({ timestamps }) => timestamps)
          .map(({ name }) => {
            const sql = `SELECT updated_at FROM ${name} ORDER BY id DESC LIMIT 1`
            return [name, value<[], string>(sql).get() ?? null]
          }),
      ),
    }),
    backup: async to => {
      if (existsSync(to))
        throw new AppError('conflict', `There is a file at ${to} already.`, { hint: 'name another file' })
      try {
        return { bytes: copyDatabase(db, to) ?? 0 }
      } catch (error) {
        throw translate(error)
      }
    },
    check: async () => findings(db),
  }
}
