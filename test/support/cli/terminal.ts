import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Workplace } from './cli.ts'

/** Runs its arguments at a pseudo-terminal of the given width, passes everything through and ends as they end. */
const PTY = `
import fcntl, os, pty, select, struct, sys, termios
columns, *command = sys.argv[1:]
pid, master = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 40, int(columns), 0, 0))
    os.execvp(command[0], command)
sources = [master, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if master in ready:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        os.write(1, data)
    if 0 in ready:
        data = os.read(0, 65536)
        if data:
            os.write(master, data)
        else:
            sources.remove(0)
_, status = os.waitpid(pid, 0)
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
`

export interface Terminal {
  /**
   * Resolves once this text has appeared after the text of the previous call. Throws if the program ends without it,
   * or is killed without it.
   */
  until(text: string): Promise<void>
  type(keys: string): void
  /** The whole output, without cursor movements and colours. */
  printed(): string
  /** The raw output. */
  raw(): string
  /** Resolves with the exit code. */
  ended(): Promise<number>
}

function spawnAt(place: Workplace, args: readonly string[], columns: number, env: Record<string, string>) {
  const { NO_COLOR: _, ...inherited } = process.env
  const program = [process.execPath, resolve('dist/bin/trunkline.js'), ...args]
  return spawn('python3', ['-c', PTY, String(columns), ...program], {
    cwd: place.folder,
    env: { ...inherited, TERM: 'xterm-256color', ...place.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

/** Longer than any program takes to print what a test waits for. */
const PATIENCE_MS = 20_000

/** The built program at a terminal, as a person sees it. */
export function atTerminal(place: Workplace, args: readonly string[], columns = 80, env = {}): Terminal {
  const child = spawnAt(place, args, columns, env)
  let heard = ''
  let seen = 0
  let isOver = false
  let check = (): void => undefined
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    heard += piece
    check()
  })
  const over = once(child, 'close').then(() => {
    isOver = true
    check()
  })
  const printed = (): string => stripVTControlCharacters(heard).replaceAll('\r', '')
  return {
    printed,
    raw: () => heard,
    type: keys => void child.stdin.write(keys),
    until: text =>
      new Promise((done, fail) => {
        const patience = setTimeout(() => child.kill(), PATIENCE_MS)
        const settle = (settled: () => void): void => {
          clearTimeout(patience)
          settled()
        }
        check = () => {
          const at = printed().indexOf(text, seen)
          if (at >= 0) {
            seen = at + text.length
            settle(done)
          } else if (isOver) settle(() => fail(new Error(`It ended without ${JSON.stringify(text)}: ${printed()}`)))
        }
        check()
      }),
    ended: async () => {
      const patience = setTimeout(() => child.kill(), PATIENCE_MS)
      await over
      clearTimeout(patience)
      return child.exitCode ?? -1
    },
  }
}
