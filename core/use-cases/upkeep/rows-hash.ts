import type { Digests } from '../../ports/digests.ts'
import type { CopiedValue } from '../../ports/storage.ts'

const LANES = 8

/** A hash of rows in any order: the sum of the rows' SHA-256, each 32 bits apart. */
export class RowsHash {
  readonly #digests: Pick<Digests, 'hash'>
  readonly #lanes = new Uint32Array(LANES)
  readonly #encoder = new TextEncoder()
  #rows = 0

  constructor(digests: Pick<Digests, 'hash'>) {
    this.#digests = digests
  }

  get rows(): number {
    return this.#rows
  }

  get hex(): string {
    return [...this.#lanes].map(lane => lane.toString(16).padStart(8, '0')).join('')
  }

  add(row: readonly CopiedValue[]): void {
    const { buffer, byteOffset } = this.#digests.hash('sha256', this.#encoder.encode(JSON.stringify(row)))
    const hashed = new DataView(buffer, byteOffset)
    for (let lane = 0; lane < LANES; lane++) this.#lanes[lane] = (this.#lanes[lane] ?? 0) + hashed.getUint32(lane * 4)
    this.#rows++
  }
}
