import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { FULL_SIZE } from '../dataset.ts'

export const TOKEN = 'the-token-of-the-benchmarks'
/** The addresses of the switch, its telephones and its carrier are 127.0.NET.x. */
export const NET = 45
export const CARRIER = { host: `127.0.${NET}.99`, port: 25_560 }

const now = '2026-11-01T00:00:00.000000Z'
const AGENTS = 10

/** Of every second tenant; the first one, which has all the rates, also calls only where it has one. */
const LIMITS = { calls_per_day: 100_000, cost_per_day: '100000', extension: { calls_per_hour: 10_000 } }
const settingsOf = (tenant: number): string =>
  JSON.stringify({
    dialling: { country: 'UA' },
    ...(tenant % 2 === 1 ? { limits: { ...LIMITS, rated_only: tenant === 1 } } : {}),
  })

/**
 * Adds what calls need to the dataset: a trunk, a route and, for each tenant, a DID, a queue with ten agents, and
 * settings.
 */
export function addCarrier(path: string): void {
  const db = new Sqlite(path)
  const insert = (table: string, values: Readonly<Record<string, string | number | null>>): number => {
    const names = Object.keys(values)
    const statement = db.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`)
    return Number(statement.run(...Object.values(values)).lastInsertRowid)
  }
  const times = { created_at: now, updated_at: now }
  const active = { status: 'active', ...times }
  db.transaction(() => {
    const trunk = insert('trunks', { name: 'carrier-one', ...CARRIER, registers: 0, ...active })
    insert('trunk_routes', { tenant_id: null, prefix: '', trunks: JSON.stringify([trunk]) })
    const set = db.prepare('UPDATE tenants SET settings = ? WHERE id = ?')
    for (let tenant = 1; tenant <= FULL_SIZE.tenants; tenant++) {
      set.run(settingsOf(tenant), tenant)
      const did = insert('dids', { tenant_id: tenant, number: didOf(tenant), provider: 'carrier-one', ...active })
      insert('routes', { did_id: did, target_type: 'extension', target_id: tenant })
      const rings = { name: 'Support', queue_number: '800', strategy: 'ringall', timeout: 20 }
      const queue = insert('queues', { tenant_id: tenant, ...rings, ...active })
      for (let agent = 0; agent < AGENTS; agent++)
        insert('agents', { queue_id: queue, extension_id: tenant + agent * FULL_SIZE.tenants, penalty: 0 })
    }
  }).immediate()
  db.close()
}

/** The DID of the tenant with that id. */
export const didOf = (tenant: number): string => `+38044${1_000_000 + tenant}`

/** The dataset numbers its tenants from 0, with ids from 1; each has 200 extensions from 1000. */
export const slugOf = (i: number): string => `tenant-${i % FULL_SIZE.tenants}`
export const domainOf = (i: number): string => `t${i % FULL_SIZE.tenants}.example.com`
export const numberOf = (i: number): string => String(1000 + Math.floor(i / FULL_SIZE.tenants))
export const secretOf = (i: number): string => `secret-${i}`

/** Settings for a daemon that serves a switch with this event socket; returns the path of their file. */
export function settingsFor(folder: string, eventSocketPort: number, password: string, lookup_port?: number): string {
  const path = join(folder, 'switch.json')
  const event_socket = { port: eventSocketPort, password }
  writeFileSync(path, JSON.stringify({ freeswitch: { token: TOKEN, lookup_port, event_socket } }))
  return path
}
