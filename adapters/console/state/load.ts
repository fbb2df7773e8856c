import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { get } from './api.ts'

export interface Loaded<T> {
  /** The latest answer; null before the first. */
  readonly data: Signal<T | null>
  readonly error: Signal<Error | null>
  readonly isLoading: Signal<boolean>
  reload(): void
}

/** Loads what the service answers at a path, parsed by `read`; again when the path changes. null loads nothing. */
export function useLoaded<T>(path: string | null, read: (data: unknown) => T): Loaded<T> {
  const data = useSignal<T | null>(null)
  const error = useSignal<Error | null>(null)
  const isLoading = useSignal(false)
  const count = useSignal(0)
  useEffect(() => {
    if (path === null) return
    const asking = new AbortController()
    isLoading.value = true
    error.value = null
    get(path, asking.signal)
      .then(answer => {
        data.value = read(answer)
      })
      .catch((reason: Error) => {
        if (!asking.signal.aborted) error.value = reason
      })
      .finally(() => {
        if (!asking.signal.aborted) isLoading.value = false
      })
    return () => asking.abort()
  }, [path, count.value])
  return { data, error, isLoading, reload: () => count.value++ }
}

/** Reloads periodically while the page is visible. */
export function useEvery(ms: number, reload: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload()
    }, ms)
    return () => clearInterval(timer)
  }, [])
}

export const objectOf = (data: unknown): Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? { ...data } : {}

export const objectsOf = (data: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(data) ? data.map(objectOf) : []
