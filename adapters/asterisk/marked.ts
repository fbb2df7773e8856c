import { createHash } from 'node:crypto'
import type { FileName } from './render/files.ts'
import { exten, section } from './render/lines.ts'

/** A file to write, with a marker in it that the switch shows once it has read the file. */
export interface MarkedFile {
  readonly text: string
  readonly marker: string
}

/**
 * A failed reload reports success, so each file ends with an object whose name is a hash of the file. The endpoint
 * among these objects is unusable: no address matches it, and no password has its hash.
 */
const MARKERS: Readonly<Record<FileName, (marker: string) => string>> = {
  extensions: marker => section('tl-marker', [exten(marker, 'Hangup(1)')]),
  pjsip: marker =>
    section('__marker', [
      ...['type = endpoint', 'context = tl-marker', 'identify_by = ip', 'disallow = all', 'allow = ulaw'],
      ...['auth = __marker', `accountcode = ${marker}`],
    ]) + section('__marker', ['type = auth', 'auth_type = md5', 'username = __marker', `md5_cred = ${'0'.repeat(32)}`]),
  queues: marker => section(`tl-marker-${marker}`, ['strategy = ringall']),
  voicemail: marker => section('tl-marker', [`${BigInt(`0x${marker}`)} => -,${marker}`]),
}

export function marked(name: FileName, text: string): MarkedFile {
  const marker = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return { text: `${text}${MARKERS[name](marker)}; marker ${marker}\n`, marker }
}

/** Returns the marker of a written file; null if it has none. */
export const markerIn = (text: string): string | null =>
  /^; marker ([0-9a-f]{12})$/m.exec(text.slice(-300))?.[1] ?? null

/** The module that reads each file, and the command that shows the loaded marker. */
export const MODULES: Readonly<Record<FileName, { readonly module: string; show(marker: string): string }>> = {
  extensions: { module: 'pbx_config.so', show: marker => `dialplan show ${marker}@tl-marker` },
  pjsip: { module: 'res_pjsip.so', show: () => 'pjsip show endpoint __marker' },
  queues: { module: 'app_queue.so', show: marker => `queue show tl-marker-${marker}` },
  voicemail: { module: 'app_voicemail.so', show: () => 'voicemail show users for tl-marker' },
}

/** True if the output shows the marker, rather than an error that it is unknown. */
export const isShown = (output: string, marker: string): boolean =>
  output.includes(marker) && !/no such|there is no existence|unable to find/i.test(output)
