import { signal } from '@preact/signals'
import { midnights } from '../../../core/rating/period.ts'
import { get } from './api.ts'
import { objectOf } from './load.ts'
import { me } from './session.ts'
import { zoneShown } from './shown.ts'

/** Time zones of the tenants seen so far, by id; null for one that could not be loaded. */
const zones = signal<ReadonlyMap<number, string | null>>(new Map())
const asked = new Set<number>()

/** Returns the time zone of a tenant; undefined while unknown, or without a tenant. */
export function zoneOf(tenantId: unknown): string | undefined {
  const { tenant } = me.value ?? {}
  if (tenant) return tenant.timezone
  if (typeof tenantId !== 'number' || Number.isNaN(tenantId)) return undefined
  if (!asked.has(tenantId)) void ask(tenantId)
  return zones.value.get(tenantId) ?? undefined
}

async function ask(tenantId: number): Promise<void> {
  asked.add(tenantId)
  const found = await get(`/api/console/records/tenants/${tenantId}`).catch(() => null)
  const { timezone } = objectOf(found)
  zones.value = new Map([...zones.value, [tenantId, typeof timezone === 'string' ? timezone : null]])
}

/** True for `YYYY-MM-DD` if there is such a day. */
const isDay = (text: string): boolean => {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** Returns the beginning of a day, `YYYY-MM-DD`, in the displayed zone; any other text unchanged. */
export function momentOf(text: string, timeZone: string | undefined): string {
  return isDay(text) ? midnights(zoneShown(timeZone))(text) : text
}

/** Returns the day after a day, `YYYY-MM-DD`; any other text unchanged. */
export const dayAfter = (text: string): string =>
  isDay(text) ? new Date(Date.parse(`${text}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10) : text
