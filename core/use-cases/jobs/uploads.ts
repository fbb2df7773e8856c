import type { Viewer } from '../../access/policy.ts'
import { assertInSight } from '../../access/transfers.ts'
import { addSeconds } from '../../dates.ts'
import { AppError, notFound } from '../../errors.ts'
import { counted } from '../../format-count.ts'
import type { Owner, Upload } from '../../jobs/job.ts'
import type { JobStore } from '../../ports/jobs.ts'
import type { Clock } from '../../ports/system.ts'
import { askedUpload } from './requests.ts'

/** Limits of uploads. */
export interface UploadLimits {
  /** The longest file, and the most bytes of an account's files together. */
  readonly bytes: number
  readonly bytesOfAccount: number
  readonly ofAccount: number
  /** Seconds that an unused upload is kept. */
  readonly keptFor: number
}

const MIB = 1024 ** 2

export const UPLOAD_LIMITS: UploadLimits = {
  bytes: 1024 * MIB,
  bytesOfAccount: 2048 * MIB,
  ofAccount: 20,
  keptFor: 24 * 3600,
}

interface UploadPorts {
  readonly store: JobStore
  readonly clock: Clock
  readonly limits: UploadLimits
  nextId(): number
}

interface Writing {
  cut(): void
  readonly done: Promise<void>
}

interface Asker {
  readonly viewer: Viewer
  readonly owner: Owner
}

const LABEL = 'Upload'
const sizeOf = (bytes: number): string => `${Math.floor(bytes / MIB)} MiB`

/** Files being uploaded: a client continues after the last byte that arrived, whatever happened in between. */
export class Uploads {
  readonly #ports: UploadPorts
  readonly #all = new Map<number, Upload>()
  readonly #writing = new Map<number, Writing>()

  constructor(ports: UploadPorts) {
    this.#ports = ports
  }

  takeUp(uploads: readonly Upload[]): void {
    for (const each of uploads) this.#all.set(each.id, each)
  }

  /** Throws `invalid`, `too_large`, and `conflict` if the account has too many. */
  async begin(owner: Owner, body: unknown): Promise<Upload> {
    const { clock, store, nextId } = this.#ports
    const { name, bytes } = askedUpload(body)
    this.#assertRoom(owner, bytes)
    const upload = { id: nextId(), owner, name, bytes, received: 0, touchedAt: clock.now() }
    this.#all.set(upload.id, upload)
    await store.saveUpload(upload)
    return upload
  }

  /** Throws `not_found`. */
  find(viewer: Viewer, id: number): Upload {
    const upload = this.#all.get(id)
    if (!upload) throw notFound(LABEL)
    assertInSight(viewer, upload.owner, LABEL)
    return upload
  }

  /** Throws `not_found`, and `forbidden` for another account's upload. */
  own({ viewer, owner }: Asker, id: number): Upload {
    const upload = this.find(viewer, id)
    if (upload.owner.id !== owner.id) throw new AppError('forbidden', 'The upload is of another account.')
    return upload
  }

  /**
   * Appends after the first `at` bytes. Keeps what arrived before the pieces break off. Throws like `own`, `conflict`
   * if a different number of bytes is there, `too_large`, `storage_full`.
   */
  async append(asker: Asker, id: number, at: number, pieces: AsyncIterable<Uint8Array>): Promise<Upload> {
    this.own(asker, id)
    // A broken connection may still look open here: whoever continues replaces it.
    const earlier = this.#writing.get(id)
    earlier?.cut()
    await earlier?.done.catch(() => undefined)
    const { received, bytes } = this.own(asker, id)
    if (received !== at) throw new AppError('conflict', `${received} bytes of the upload are there, not ${at}.`)
    const writing = this.#write(id, at, bytes - at, pieces)
    this.#writing.set(id, writing)
    try {
      await writing.done
    } finally {
      if (this.#writing.get(id) === writing) this.#writing.delete(id)
    }
    return this.own(asker, id)
  }

  /** Throws like `own`. */
  async remove(asker: Asker, id: number): Promise<void> {
    this.own(asker, id)
    await this.forget(id)
  }

  async forget(id: number): Promise<void> {
    this.#writing.get(id)?.cut()
    this.#all.delete(id)
    await this.#ports.store.removeUpload(id)
  }

  /** Deletes uploads that have not been used for a long time, unless one is in use. */
  async sweep(isInUse: (id: number) => boolean): Promise<void> {
    const { clock, limits } = this.#ports
    const before = addSeconds(clock.now(), -limits.keptFor)
    for (const { id, touchedAt } of this.#all.values())
      if (touchedAt < before && !isInUse(id) && !this.#writing.has(id)) await this.forget(id)
  }

  #assertRoom({ id }: Owner, bytes: number): void {
    const { limits } = this.#ports
    if (bytes > limits.bytes)
      throw new AppError('too_large', `The file is larger than ${sizeOf(limits.bytes)}: import it by the command line.`)
    const mine = [...this.#all.values()].filter(({ owner }) => owner.id === id)
    const taken = mine.reduce((sum, each) => sum + each.bytes, 0)
    if (mine.length >= limits.ofAccount || taken + bytes > limits.bytesOfAccount)
      throw new AppError(
        'conflict',
        `You have ${counted(mine.length, 'file')} here already; at most ${limits.ofAccount} of ${sizeOf(limits.bytesOfAccount)} in all are kept. Delete jobs that have ended.`,
      )
  }

  #write(id: number, at: number, most: number, pieces: AsyncIterable<Uint8Array>): Writing {
    let cut = (): void => {}
    const isCut = new Promise<null>(resolve => {
      cut = () => resolve(null)
    })
    const done = this.#ports.store.append(id, at, upTo(most, pieces, isCut), received => {
      const upload = this.#all.get(id)
      if (upload) this.#all.set(id, { ...upload, received, touchedAt: this.#ports.clock.now() })
    })
    return { done, cut: () => cut() }
  }
}

/**
 * Yields the pieces until they are cut off, even while waiting for another. Throws `too_large` beyond that many bytes.
 */
async function* upTo(
  most: number,
  pieces: AsyncIterable<Uint8Array>,
  isCut: Promise<null>,
): AsyncGenerator<Uint8Array> {
  const source = pieces[Symbol.asyncIterator]()
  let room = most
  for (;;) {
    const next = await Promise.race([source.next(), isCut])
    if (next === null || next.done) return
    room -= next.value.length
    if (room < 0) throw new AppError('too_large', 'More bytes came than the upload has.')
    yield next.value
  }
}
