import { join } from 'node:path'
import { type MarkedFile, marked } from './marked.ts'
import type { FileName, Rendered } from './render/files.ts'
import { writeFileWhole } from './write-file.ts'

export interface Written {
  readonly files: Readonly<Record<FileName, MarkedFile>>
  /** True if some phone has lost its access or has another secret; also for the first write, which has nothing to compare. */
  readonly refusesMore: boolean
}

/** The files that Asterisk's own configuration includes. */
export interface WrittenFiles {
  /** False until all have been written once. */
  areThere(): boolean
  /** Writes those that have changed. */
  write(texts: Rendered['files']): Promise<Written>
}

export function filesIn(folder: string): WrittenFiles {
  /** As they were last written. */
  let former: Written['files'] | null = null
  return {
    areThere: () => former !== null,
    write: async texts => {
      const files = {
        extensions: marked('extensions', texts.extensions),
        pjsip: marked('pjsip', texts.pjsip),
        queues: marked('queues', texts.queues),
        voicemail: marked('voicemail', texts.voicemail),
      }
      for (const [name, { text }] of Object.entries(files)) await writeFileWhole(join(folder, `${name}.conf`), text)
      const refusesMore = former === null || hasLostSecrets(former.pjsip.text, files.pjsip.text)
      former = files
      return { files, refusesMore }
    },
  }
}

const CREDENTIAL = /^md5_cred = .*$/gm

function hasLostSecrets(former: string, present: string): boolean {
  if (former === present) return false
  const kept = new Set(present.match(CREDENTIAL))
  return (former.match(CREDENTIAL) ?? []).some(each => !kept.has(each))
}
