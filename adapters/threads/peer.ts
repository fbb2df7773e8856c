import { AppError, type ErrorCode, type ErrorDetails } from '../../core/errors.ts'

/** Passes messages between two threads: a worker, or a worker's port to its parent. */
export interface Channel {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: Message) => void): unknown
}

/** What one side offers the other. Arguments and results are copied, so they must be plain data. */
export type Methods = Record<string, Method>
/** A method, so that each may have its own parameters. */
type Method = { method(...parameters: unknown[]): unknown }['method']

/** Calls a method of the other side. Rejects with what it throws: an error with its name, message and codes. */
export type Call<M extends Methods> = <K extends keyof M & string>(
  method: K,
  ...parameters: Parameters<M[K]>
) => Promise<Awaited<ReturnType<M[K]>>>

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly method: string; readonly parameters: readonly unknown[] }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: Failure }

type Failure =
  | { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }
  | { readonly thrown: Pick<Error, 'name' | 'message' | 'stack'>; readonly members: Readonly<Record<string, unknown>> }

interface Waiting {
  resolve(value: unknown): void
  reject(reason: unknown): void
}

/** Preserves what a copied error would lose: its codes, and the class of a driver's error. */
function failureOf(error: unknown): Failure {
  if (error instanceof AppError) return { code: error.code, message: error.message, details: error.details }
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  const members = Object.entries(error instanceof Error ? error : {}).filter(([, value]) => Object(value) !== value)
  return { thrown: { name, message, stack }, members: Object.fromEntries(members) }
}

const errorOf = (failure: Failure): Error =>
  'code' in failure
    ? new AppError(failure.code, failure.message, failure.details)
    : Object.assign(new Error(), failure.members, failure.thrown)

export interface Peer<M extends Methods> {
  readonly call: Call<M>
  /** Rejects every waiting call, and all later ones: the other side is gone. */
  end(reason: unknown): void
}

/** One side of a conversation between two threads, each of which may call the other's methods. */
export function peer<Theirs extends Methods>(channel: Channel, ours: Methods): Peer<Theirs> {
  const waiting = new Map<number, Waiting>()
  let calls = 0
  let gone: { readonly reason: unknown } | null = null

  const answer = async (id: number, method: string, parameters: readonly unknown[]): Promise<void> => {
    try {
      channel.postMessage({ kind: 'result', id, value: await ours[method]?.(...parameters) })
    } catch (error) {
      channel.postMessage({ kind: 'failure', id, failure: failureOf(error) })
    }
  }
  const settle = (id: number): Waiting | undefined => {
    const found = waiting.get(id)
    waiting.delete(id)
    return found
  }
  channel.on('message', message => {
    if (message.kind === 'call') answer(message.id, message.method, message.parameters)
    else if (message.kind === 'result') settle(message.id)?.resolve(message.value)
    else settle(message.id)?.reject(errorOf(message.failure))
  })
  const call = (method: string, ...parameters: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (gone) return reject(gone.reason)
      calls++
      waiting.set(calls, { resolve, reject })
      channel.postMessage({ kind: 'call', id: calls, method, parameters })
    })
  return {
    // Only their types say what the other side's methods return.
    call: call as Call<Theirs>,
    end: reason => {
      gone = { reason }
      for (const { reject } of waiting.values()) reject(reason)
      waiting.clear()
    },
  }
}
