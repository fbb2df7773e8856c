import type { Viewer } from '../../access/policy.ts'
import { assertInSight } from '../../access/transfers.ts'
import { addSeconds } from '../../dates.ts'
import { AppError, notFound } from '../../errors.ts'
import { counted } from '../../format-count.ts'
import type { Owner, Upload } from '../../jobs/job.ts'
import { type JobLimits, sizeText } from '../../jobs/limits.ts'
import type { JobStore } from '../../ports/jobs.ts'
import type { Clock } from '../../ports/system.ts'
import { askedUpload } from './requests.ts'

interface UploadPorts {
  readonly store: JobStore
  readonly clock: Clock
  readonly limits: JobLimits
}

interface Asker {
  readonly viewer: Viewer
  readonly owner: Owner
}

const LABEL = 'Upload'

/** Files being uploaded: a client continues after the last byte that arrived, whatever happened in between. */
export class Uploads {
  readonly #ports: UploadPorts

  constructor(ports: UploadPorts) {
    this.#ports = ports
  }

  /** Throws `invalid`, `too_large`, and `conflict` if the account has too many. */
  async begin(owner: Owner, body: unknown): Promise<Upload> {
    const { clock, store, limits } = this.#ports
    const { name, bytes } = askedUpload(body)
    if (bytes > limits.bytes)
      throw new AppError(
        'too_large',
        `The file is larger than ${sizeText(limits.bytes)}: import it by the command line.`,
      )
    const draft = { owner, name, bytes, received: 0, touchedAt: clock.now() }
    return store.addUpload(draft, others => this.#assertRoom(others, bytes))
  }

  /** Throws `not_found`. */
  async find(viewer: Viewer, id: number): Promise<Upload> {
    const upload = await this.#ports.store.findUpload(id)
    if (!upload) throw notFound(LABEL)
    assertInSight(viewer, upload.owner, LABEL)
    return upload
  }

  /** Throws `not_found`, and `forbidden` for another account's upload. */
  async own({ viewer, owner }: Asker, id: number): Promise<Upload> {
    const upload = await this.find(viewer, id)
    if (upload.owner.id !== owner.id) throw new AppError('forbidden', 'The upload is of another account.')
    return upload
  }

  /**
   * Appends after the first `at` bytes. Keeps what arrived before the pieces break off. A broken connection may still
   * look open: whoever continues replaces it, wherever it is. Throws like `own`, `conflict` if a different number of
   * bytes is there, `too_large`, `storage_full`.
   */
  async append(asker: Asker, id: number, at: number, pieces: AsyncIterable<Uint8Array>): Promise<Upload> {
    const { store, clock } = this.#ports
    const { bytes } = await this.own(asker, id)
    const writing = await store.beginWriting(id, at)
    if (writing === null) {
      const { received } = await this.own(asker, id)
      throw new AppError('conflict', `${received} bytes of the upload are there, not ${at}.`)
    }
    let end = at
    for await (const piece of pieces) {
      if (end + piece.length > bytes) throw new AppError('too_large', 'More bytes came than the upload has.')
      if (!(await store.extend(id, writing, end, piece, clock.now()))) break
      end += piece.length
    }
    return this.own(asker, id)
  }

  /** Throws like `own`. */
  async remove(asker: Asker, id: number): Promise<void> {
    await this.own(asker, id)
    await this.#ports.store.removeUpload(id)
  }

  /** Deletes uploads that have not been used for a long time. */
  async sweep(): Promise<void> {
    const { clock, limits, store } = this.#ports
    const before = addSeconds(clock.now(), -limits.keptFor)
    for (const id of await store.forgottenUploads(before)) await store.removeUpload(id)
  }

  #assertRoom(others: readonly Upload[], bytes: number): void {
    const { limits } = this.#ports
    const taken = others.reduce((sum, each) => sum + each.bytes, 0)
    if (others.length >= limits.ofAccount || taken + bytes > limits.bytesOfAccount)
      throw new AppError(
        'conflict',
        `You have ${counted(others.length, 'file')} here already; at most ${limits.ofAccount} of ${sizeText(limits.bytesOfAccount)} in all are kept. Delete jobs that have ended.`,
      )
  }
}
