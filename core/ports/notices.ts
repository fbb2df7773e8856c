import type { Timestamp } from '../dates.ts'

/** What the service noticed while it ran and an operator must know; `doctor` shows it. */
export interface Notice {
  /** What kind of trouble: `untrusted_proxy`. */
  readonly code: string
  /** What it is about, such as a gateway's name; empty where there is but one. */
  readonly subject: string
  readonly detail: string
  readonly firstAt: Timestamp
  readonly lastAt: Timestamp
}

export interface Notices {
  /** Keeps a notice; where one of that code and subject is there, its detail and last moment change. */
  raise(notice: Pick<Notice, 'code' | 'subject' | 'detail'>): Promise<void>
  /** Forgets a notice that no longer holds. */
  clear(code: string, subject?: string): Promise<void>
  list(): Promise<readonly Notice[]>
}
