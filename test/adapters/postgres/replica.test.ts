import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { clientConfig } from '../../../adapters/postgres/database/options.ts'
import { openStorage } from '../../../adapters/postgres/storage.ts'
import type { ServerFigures } from '../../../core/ports/system.ts'
import { unbuilt } from '../../support/cli/cli.ts'
import { manualClock } from '../../support/clock.ts'
import { insert } from '../../support/data/rows.ts'
import { until } from '../../support/data/switch.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { QUICK, startOwnServer } from '../../support/postgres/server.ts'
import { trunkline } from '../../support/programs.ts'

async function execute(address: string, statement: string): Promise<void> {
  const client = new Client(clientConfig(address))
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** A server with a replica, which follows it by the replication slot `standby`. */
async function withReplica(kept: string) {
  const [data, copy] = [join(kept, 'primary'), join(kept, 'standby')]
  const first = await startOwnServer({ kept: data, settings: QUICK })
  await execute(first.address('postgres'), `SELECT pg_create_physical_replication_slot('standby', true)`)
  await first.stop()
  // Its files keep their owner.
  execFileSync('cp', ['-a', data, copy])
  const server = await startOwnServer({ kept: data, settings: QUICK })
  const follow = [...QUICK, `primary_conninfo=host=${server.folder} user=trunkline`, 'primary_slot_name=standby']
  const prepare = (standby: string): void => {
    writeFileSync(join(standby, 'standby.signal'), '')
  }
  const replica = await startOwnServer({ kept: copy, settings: follow, prepare })
  return { server, replica }
}

test('the lag of a replica is true while it follows, while it falls behind, and after it has stopped', {
  timeout: 120_000,
  skip: unbuilt,
}, async t => {
  const folder = temporaryFolder()
  t.after(folder.remove)
  chmodSync(folder.path, 0o755)
  const { server, replica } = await withReplica(folder.path)
  let isStopped = false
  const stopReplica = async (): Promise<void> => {
    if (!isStopped) await replica.stop()
    isStopped = true
  }
  t.after(async () => {
    await stopReplica()
    await server.stop()
  })
  const address = server.address('postgres')
  const storage = await openStorage(address, { clock: manualClock(), create: true })
  t.after(() => storage.close())
  const figures = async (): Promise<ServerFigures> => {
    const found = await storage.gauges.server()
    return found ?? assert.fail('no figures')
  }
  const status = async (): Promise<string> => (await trunkline(address, 'status')).stdout

  await until('the replica has caught up', async () => {
    const { replicas, replicaLagBytes } = await figures()
    return replicas === 1 && replicaLagBytes === 0
  })
  assert.match(await status(), /^server .*, 1 replica connected, 0\.0 MB behind, /m)

  await execute(replica.address('postgres'), 'SELECT pg_wal_replay_pause()')
  for (let i = 0; i < 10; i++) await insert(storage.records, 'tenants')
  assert.ok(((await figures()).replicaLagBytes ?? 0) > 1_000)
  await execute(replica.address('postgres'), 'SELECT pg_wal_replay_resume()')
  await until('it has caught up again', async () => (await figures()).replicaLagBytes === 0)

  await stopReplica()
  await until('the server has noticed', async () => (await figures()).idleSlots.length === 1)
  for (let i = 0; i < 10; i++) await insert(storage.records, 'tenants')
  const { replicas, idleSlots, replicaLagBytes } = await figures()
  assert.deepEqual([replicas, idleSlots], [0, ['standby']])
  assert.ok((replicaLagBytes ?? 0) > 1_000, String(replicaLagBytes))
  assert.match(await status(), /^server .*, 0 replicas connected, 1 not, 0\.0 MB behind, /m)
  assert.match((await trunkline(address, 'doctor')).stdout, /no replica is connected to the replication slot standby/)
})
