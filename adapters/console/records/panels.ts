import type { FunctionComponent } from 'preact'
import type { Resource } from '../../../core/resources/resource.ts'
import type { RecordData } from '../state/api.ts'
import { CallPanel } from '../tools/call-panel.tsx'
import { SendPanel } from '../tools/send-panel.tsx'

/** What a record shows above its form that no declaration tells. */
export type Panel = FunctionComponent<{ readonly record: RecordData }>

/** By resource name: the one place where something special to a resource is registered. */
const panels: Readonly<Record<string, readonly Panel[]>> = {
  cdrs: [CallPanel],
  sms_gateways: [SendPanel],
}

export const panelsOf = ({ name }: Resource): readonly Panel[] => panels[name] ?? []
