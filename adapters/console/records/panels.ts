import type { FunctionComponent } from 'preact'
import type { Resource } from '../../../core/resources/resource.ts'
import { lazily } from '../parts/lazy.tsx'
import type { RecordData } from '../state/api.ts'

/** Shown above a record's form, beyond its declaration. */
export type Panel = FunctionComponent<{ readonly record: RecordData }>

/** By resource name: the one place to register panels. */
const panels: Readonly<Record<string, readonly Panel[]>> = {
  cdrs: [lazily(async () => (await import('../tools/call-panel.tsx')).CallPanel)],
  sms_gateways: [lazily(async () => (await import('../tools/send-panel.tsx')).SendPanel)],
}

export const panelsOf = ({ name }: Resource): readonly Panel[] => panels[name] ?? []
