import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { TYPESCRIPT } from './typescript.ts'

export interface Child {
  readonly process: ChildProcess
  /** The lines of its standard output so far. */
  readonly lines: string[]
  /** Resolves once it has printed this many lines, or has ended. */
  printed(count: number): Promise<void>
  /** Resolves when it has ended and its whole output was read. Throws if it ended with an error. */
  ended(): Promise<void>
  /** Kills it with SIGKILL and waits until it has ended. */
  kill(): Promise<void>
}

/** Runs a test file as a separate process; `wrap` is a command to run it under. */
export function startChild(file: string, args: readonly string[], wrap: readonly string[] = []): Child {
  const [command = process.execPath, ...rest] = [
    ...wrap,
    process.execPath,
    ...(file.endsWith('.ts') ? TYPESCRIPT : []),
    file,
    ...args,
  ]
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const tell = (): void => {
    for (const check of waiting) check()
  }
  let problem = ''
  child.stderr.on('data', (piece: Buffer) => {
    problem += piece.toString('utf8')
  })
  const reader = createInterface({ input: child.stdout })
  reader.on('line', line => {
    lines.push(line)
    tell()
  })
  const over = Promise.all([
    new Promise<void>(resolve => child.on('close', () => resolve())),
    new Promise<void>(resolve => reader.on('close', () => resolve())),
  ]).then(tell)
  let isOver = false
  over.then(() => {
    isOver = true
    tell()
  })
  return {
    process: child,
    lines,
    printed: count =>
      new Promise(resolve => {
        const check = (): void => {
          if (lines.length < count && !isOver) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    ended: async () => {
      await over
      if (child.exitCode !== 0)
        throw new Error(`the child ended with ${child.exitCode ?? child.signalCode}: ${problem}`)
    },
    kill: async () => {
      child.kill('SIGKILL')
      await over
    },
  }
}
