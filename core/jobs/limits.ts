/** Limits on what is kept of uploads and jobs. */
export interface JobLimits {
  /** The longest uploaded file, the most bytes of an account's uploads, and how many they may be. */
  readonly bytes: number
  readonly bytesOfAccount: number
  readonly ofAccount: number
  /** Seconds that an unused upload, and a job that has ended, is kept. */
  readonly keptFor: number
  /** The longest file of a job, and the most bytes of those of an account as it begins another. */
  readonly resultBytes: number
  readonly resultBytesOfAccount: number
  /** The jobs of an account that may wait or run, and those that are kept once they have ended. */
  readonly open: number
  readonly ended: number
}

const MIB = 1024 ** 2
const GIB = 1024 ** 3

export const JOB_LIMITS: JobLimits = {
  bytes: GIB,
  bytesOfAccount: 2 * GIB,
  ofAccount: 20,
  keptFor: 24 * 3600,
  resultBytes: 4 * GIB,
  resultBytesOfAccount: 8 * GIB,
  open: 5,
  ended: 100,
}

/** A number of bytes in words: `4 GiB`, `10 MiB`, `300 bytes`. */
export function sizeText(bytes: number): string {
  if (bytes >= GIB && bytes % GIB === 0) return `${bytes / GIB} GiB`
  return bytes < MIB ? `${bytes} bytes` : `${Math.floor(bytes / MIB)} MiB`
}
