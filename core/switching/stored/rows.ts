import type { Row } from '../../resources/resource.ts'
import type { SwitchDid, SwitchExtension, SwitchQueue, Trunk } from '../directory.ts'

/** An extension as a storage selects it. */
export type ExtensionRow = Omit<SwitchExtension, 'hasVoicemail'> & { readonly voicemail_enabled: boolean | number }
/** A queue; `agents` is the JSON text of `[[extension, penalty], …]`. */
export type QueueRow = Omit<SwitchQueue, 'agents'> & { readonly agents: string }
/** A DID; `targets` is the JSON text of `[[type, number], …]`. */
export type DidRow = Omit<SwitchDid, 'targets'> & { readonly targets: string }

export const extensionIn = ({ voicemail_enabled, devices, ...row }: ExtensionRow): SwitchExtension => ({
  ...row,
  hasVoicemail: Boolean(voicemail_enabled),
  devices: Math.max(devices, 1),
})

export const queueIn = ({ agents, ...row }: QueueRow): SwitchQueue => ({
  ...row,
  agents: pairsIn(agents).map(([extension, penalty]) => ({ extension: String(extension), penalty: Number(penalty) })),
})

export const didIn = ({ targets, ...row }: DidRow): SwitchDid => ({
  ...row,
  targets: pairsIn(targets).map(([type, number]) => ({
    type: type === 'queue' ? 'queue' : 'extension',
    number: String(number),
  })),
})

function pairsIn(text: string): readonly (readonly unknown[])[] {
  const pairs: unknown = JSON.parse(text)
  return Array.isArray(pairs) ? pairs : []
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Takes the declared defaults of trunks for missing values. */
export function trunkIn({ id, ...row }: Row & { readonly id: number }): Trunk {
  const { transport, number_form: form, max_calls: most } = row
  return {
    id,
    name: String(row['name']),
    host: String(row['host']),
    port: Number(row['port']),
    transport: transport === 'tcp' || transport === 'tls' ? transport : 'udp',
    username: textIn(row['username']),
    secret: textIn(row['secret']),
    registers: Boolean(row['registers']),
    numberForm: form === 'digits' || form === 'national' ? form : 'e164',
    codecs: (textIn(row['codecs']) ?? '').split(',').flatMap(codec => codec.trim() || []),
    maxCalls: typeof most === 'number' ? most : null,
    status: String(row['status']),
  }
}
