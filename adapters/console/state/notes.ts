import { signal } from '@preact/signals'

export interface Note {
  readonly id: number
  readonly text: string
  readonly kind: 'done' | 'trouble'
}

/** Recent successes and failures, shown in a corner of the screen and read by screen readers. */
export const notes = signal<readonly Note[]>([])

const SHOWN_MS = 6_000
let count = 0

export function dismiss(id: number): void {
  notes.value = notes.value.filter(note => note.id !== id)
}

/** Failures stay until they are dismissed. */
export function note(text: string, kind: Note['kind'] = 'done'): void {
  const id = ++count
  notes.value = [...notes.value, { id, text, kind }]
  if (kind === 'done') setTimeout(() => dismiss(id), SHOWN_MS)
}

export const noteTrouble = (error: unknown): void =>
  note(error instanceof Error ? error.message : 'Something went wrong.', 'trouble')
