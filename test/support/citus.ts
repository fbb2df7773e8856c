import { Client } from 'pg'
import { citus } from '../../adapters/citus/citus.ts'
import { clientConfig } from '../../adapters/postgres/database/options.ts'
import type { Spread } from '../../adapters/sql/spread.ts'
import { runningServer, type TestServer } from './postgres/server.ts'

/** The address of a cluster's coordinator, as a superuser, and of a database there that knows the workers. */
export const CLUSTER = 'TRUNKLINE_TEST_CITUS'
const LEAST_WORKERS = 2

/** How the tables of the database at this address are spread. */
export const spreadOf = (address: string): Spread | null => (address.startsWith('citus:') ? citus : null)

const NODES = `SELECT nodename AS host, nodeport AS port FROM pg_dist_node
  WHERE isactive AND noderole = 'primary' ORDER BY groupid`

/** A node as the others know it. */
interface Node {
  readonly host: string
  readonly port: number
}

/** The cluster that the environment names. Throws, with advice, unless it has enough workers. */
export async function clusterOfTests(): Promise<TestServer> {
  const address = process.env[CLUSTER] ?? ''
  if (spreadOf(address) === null)
    throw new Error(
      `Set ${CLUSTER} to the address of a Citus coordinator, as a superuser, and of a database that knows its workers, such as citus://postgres@127.0.0.1/trunkline_test.`,
    )
  const [coordinator, ...workers] = await rowsOf<Node>(address, NODES)
  if (coordinator === undefined || workers.length < LEAST_WORKERS)
    throw new Error(
      `The cluster of ${CLUSTER} needs ${LEAST_WORKERS} workers for the tests, and has ${workers.length}.`,
    )
  const { address: at, stop } = runningServer(address)
  const partsOf = (database: string): string[] => [at(database), ...workers.map(node => onNode(at(database), node))]
  const join = async (database: string): Promise<void> => {
    await Promise.all(partsOf(database).map(part => rowsOf(part, 'CREATE EXTENSION citus')))
    await rowsOf(at(database), `SELECT citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`)
    for (const { host, port } of workers) await rowsOf(at(database), `SELECT citus_add_node('${host}', ${port})`)
  }
  return { address: at, partsOf, join, stop }
}

const LEFT = `SELECT datname FROM pg_database WHERE datname ~ '^trunkline_test_(schema_)?[0-9a-f]{12}(_draft)?$'`

/** Drops the databases that tests have left on the cluster. */
export async function clear({ partsOf }: TestServer): Promise<void> {
  for (const part of partsOf('postgres'))
    for (const { datname } of await rowsOf<{ datname: string }>(part, LEFT))
      await rowsOf(part, `DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
}

function onNode(address: string, { host, port }: Node): string {
  const url = new URL(address)
  url.searchParams.set('host', host)
  url.searchParams.set('port', String(port))
  return url.href
}

async function rowsOf<Row extends object>(address: string, sql: string): Promise<readonly Row[]> {
  const client = new Client(clientConfig(address))
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
