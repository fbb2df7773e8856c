import type { Client } from 'pg'

/**
 * Empties every table but that of the schema's version, past all rules. Ids start at 1 again, as in a new database.
 * Most tables are empty, and TRUNCATE would create new files for all of them.
 */
export const EMPTY = `DO $$ DECLARE name text; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version'
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL
    LOOP PERFORM setval(format('%I', name)::regclass, 1, false); END LOOP; END $$`

/** Gives what a database holds as statements that fill an emptied one: of each table that has rows, and each sequence. */
const STATEMENTS = `
  SELECT format('SELECT ''INSERT INTO %1$I SELECT u.* FROM unnest('' || quote_literal(array_agg(t ORDER BY t::text)::text)
    || ''::%1$I[]) u'' FROM %1$I t HAVING count(*) > 0', tablename)
  FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version'
  UNION ALL SELECT format('SELECT ''SELECT setval(''''%I'''', %s)''', sequencename, last_value)
  FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL ORDER BY 1`

/** A script that gives a database of the present schema all that this one holds, and nothing else. */
export async function contentScript(client: Client): Promise<string> {
  const { rows: questions } = await client.query<[string]>({ text: STATEMENTS, rowMode: 'array' })
  const { rows } = await client.query<[string]>({
    text: questions.map(([question]) => `(${question})`).join(' UNION ALL '),
    rowMode: 'array',
  })
  // Several workers of the server may answer, in any order.
  return [EMPTY, ...rows.map(([statement]) => statement).sort()].join(';\n')
}
