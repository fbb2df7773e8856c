import type { FunctionComponent } from 'preact'
import type { PageName } from '../../../core/console/paths.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { lazily } from '../parts/lazy.tsx'
import type { RecordData } from '../state/api.ts'

/** Shown above a record's form, beyond its declaration. */
export type Panel = FunctionComponent<{ readonly record: RecordData }>

/** By resource name: the one place to register panels. */
const panels: Readonly<Record<string, readonly Panel[]>> = {
  cdrs: [lazily(async () => (await import('../tools/call-panel.tsx')).CallPanel)],
  sms_messages: [lazily(async () => (await import('../tools/message-panel.tsx')).MessagePanel)],
  sms_gateways: [lazily(async () => (await import('../tools/send-panel.tsx')).SendPanel)],
}

export const panelsOf = ({ name }: Resource): readonly Panel[] => panels[name] ?? []

/** By resource name: pages with actions on the records of a list. */
const actions: Readonly<Record<string, readonly PageName[]>> = { cdrs: ['rerate'] }

export const actionsOf = ({ name }: Resource): readonly PageName[] => actions[name] ?? []
