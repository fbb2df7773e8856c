import { signal } from '@preact/signals'

const PREFIX = 'trunkline.'

/** Reads a preference that this browser remembers; never any data of a record. */
export const remembered = (name: string): string | null => localStorage.getItem(PREFIX + name)

export function remember(name: string, value: string | null): void {
  if (value === null) localStorage.removeItem(PREFIX + name)
  else localStorage.setItem(PREFIX + name, value)
}

/** True if times are shown in UTC, rather than in the zone of the tenant or the browser. */
export const isUtc = signal(remembered('utc') === 'true')

export function setUtc(value: boolean): void {
  isUtc.value = value
  remember('utc', value ? 'true' : null)
}
