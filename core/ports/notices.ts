import type { Timestamp } from '../dates.ts'

/** Something that the service noticed and an operator must know; `doctor` shows it. */
export interface Notice {
  /** The kind of trouble, such as `untrusted_proxy`. */
  readonly code: string
  /** What it concerns, such as a gateway's name; empty if there is only one. */
  readonly subject: string
  readonly detail: string
  readonly firstAt: Timestamp
  readonly lastAt: Timestamp
}

export interface Notices {
  /** Stores a notice. If one with that code and subject exists, updates its detail and last moment. */
  raise(notice: Pick<Notice, 'code' | 'subject' | 'detail'>): Promise<void>
  /** Removes a notice that no longer holds. */
  clear(code: string, subject?: string): Promise<void>
  list(): Promise<readonly Notice[]>
}
