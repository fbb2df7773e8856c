import { resources } from '../../../core/resources/all.ts'
import type { World } from './records.ts'

/**
 * Creates one record of every resource but messages, within that tenant where possible, with that text for each
 * secret; returns their ids.
 */
export async function furnished(world: World, tenantId: number, secret: string, members = {}) {
  const { administration } = world.service.trunkline
  const ids: Record<string, number> = { tenants: tenantId }
  for (const resource of resources) {
    if (['tenants', 'sms_messages'].includes(resource.name)) continue
    const references = {
      tenant_id: tenantId,
      extension_id: ids['extensions'],
      queue_id: ids['queues'],
      did_id: ids['dids'],
      target_id: ids['extensions'],
    }
    const given = Object.entries({ ...references, ...members }).filter(([name]) => name in resource.fields)
    const secrets = Object.entries(resource.fields).flatMap(([name, field]) => (field.secret ? [[name, secret]] : []))
    const body = { ...world.body(resource), ...Object.fromEntries([...given, ...secrets]) }
    ids[resource.name] = JSON.parse(await administration.create(resource, body)).id
  }
  return ids
}
