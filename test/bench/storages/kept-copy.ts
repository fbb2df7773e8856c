import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { migrations } from '../../../adapters/postgres/database/migrate.ts'
import { clientConfig } from '../../../adapters/postgres/database/options.ts'
import { startServer } from '../../support/postgres/server.ts'
import { SETTINGS } from './pair.ts'

export interface KeptCopy {
  /** The address of a database with the records of the file, to be changed at will. */
  readonly address: string
  close(): Promise<void>
}

const WORK = 'bench_work'

/**
 * Starts a durable server beside the file and copies the file to it by `trunkline db copy`, once for each schema of
 * either storage; then makes a database from that copy.
 */
export async function copiedToPostgres(path: string, commandLine: string): Promise<KeptCopy> {
  const data = join(dirname(path), 'postgres')
  mkdirSync(data, { recursive: true })
  const server = await startServer('', SETTINGS, data)
  const admin = new Client(clientConfig(server.address('postgres')))
  await admin.connect()
  const close = async (): Promise<void> => {
    await admin.query(`DROP DATABASE IF EXISTS ${WORK} WITH (FORCE)`)
    await admin.end()
    await server.stop()
  }
  try {
    const kept = `copy_of_${/([^/]+)\.db$/.exec(path)?.[1]?.replaceAll(/\W/g, '_')}_to_${migrations.length}`
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [kept])
    if (rowCount === 0) await copy(admin, { kept, path, commandLine, address: server.address(WORK) })
    await admin.query(`DROP DATABASE IF EXISTS ${WORK} WITH (FORCE)`)
    await admin.query(`CREATE DATABASE ${WORK} TEMPLATE ${kept} STRATEGY file_copy`)
    return { address: server.address(WORK), close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Copied {
  readonly kept: string
  readonly path: string
  readonly commandLine: string
  readonly address: string
}

/** The database gets its name once it is complete. */
async function copy(admin: Client, { kept, path, commandLine, address }: Copied): Promise<void> {
  console.error('copying the records to PostgreSQL …')
  await admin.query(`DROP DATABASE IF EXISTS ${WORK} WITH (FORCE)`)
  await admin.query(`CREATE DATABASE ${WORK} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'`)
  const args = [commandLine, 'db', 'copy', '--db', path, '--to', address, '--quiet']
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`trunkline db copy ended with ${status}: ${stderr}`)
  await admin.query(`ALTER DATABASE ${WORK} RENAME TO ${kept}`)
}
