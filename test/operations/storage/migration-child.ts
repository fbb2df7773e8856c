import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { migrate, migrations, schemaVersion } from '../../../adapters/sqlite/database/migrate.ts'

/** A process that upgrades a database and is killed in the middle of the last step, after much of it was written. */
const [path = ''] = process.argv.slice(2)
const db = new Sqlite(path)
db.pragma('journal_mode = WAL')
// A cache so small that uncommitted data goes to the disk already.
db.pragma('cache_size = 10')
db.function('die', () => {
  process.kill(process.pid, 'SIGKILL')
  return null
})
const last = migrations.at(-1) ?? ''
migrate(db, [
  ...migrations.slice(0, -1),
  `${last}
   CREATE TABLE half_done (number INTEGER, text TEXT);
   INSERT INTO half_done WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
     SELECT i, hex(randomblob(500)) FROM n;
   DELETE FROM cdrs;
   SELECT die();`,
])
process.stdout.write(`not killed, schema ${schemaVersion(db)}\n`)
