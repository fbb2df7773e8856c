import { readFileSync, writeFileSync } from 'node:fs'
import { Client } from 'pg'
import { contentScript } from './content.ts'

/**
 * Stands in for pg_dump and pg_restore: its first argument says for which. A dump is a script that fills a database of
 * the present schema; the tables are those that restoring has set aside.
 */
const [program, ...args] = process.argv.slice(2)
const given = (name: string): string =>
  args.find(arg => arg.startsWith(`--${name}=`))?.slice(name.length + '--='.length) ?? ''

async function onDatabase(use: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: given('dbname') })
  await client.connect()
  await use(client).finally(() => client.end())
}

async function restore(client: Client, dump: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'before_restore_%' ORDER BY nspname DESC LIMIT 1`,
  )
  const [{ name } = { name: '' }] = rows
  await client.query(
    `ALTER EXTENSION pg_trgm SET SCHEMA ${name}; DROP SCHEMA public; ALTER SCHEMA ${name} RENAME TO public`,
  )
  await client.query(readFileSync(dump, 'utf8'))
}

if (program === 'pg_dump') await onDatabase(async client => writeFileSync(given('file'), await contentScript(client)))
else if (args[0] === '--list') process.stdout.write('4021; 0 16399 TABLE DATA public schema_version trunkline\n')
else await onDatabase(client => restore(client, args.at(-1) ?? ''))
