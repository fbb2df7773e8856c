import { readFileSync } from 'node:fs'

export interface Tour {
  /** What the daemon is started with. */
  readonly environment: Readonly<Record<string, string>>
  /** The command lines, in order, as a shell takes them; the first defines `trunkline`. */
  readonly commands: readonly string[]
  /** The same over HTTP, to the address that the README names. */
  readonly requests: readonly string[]
}

/** The address of the daemon in the README. */
export const README_URL = 'http://127.0.0.1:8080'

/** The tour of the README, as its blocks of shell have it. */
export function tour(): Tour {
  const [, section = ''] = /^## A two-minute tour\n(.*?)^## /ms.exec(readFileSync('README.md', 'utf8')) ?? []
  const [start = '', commands = '', requests = ''] = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(
    ([, block = '']) => block,
  )
  const words = [...start.matchAll(/(\w+)=(?:'([^']*)'|(\S+))/g)]
  return {
    environment: Object.fromEntries(words.map(([, name, quoted, plain]) => [name, quoted ?? plain])),
    commands: commands.trimEnd().split('\n'),
    requests: requests.trimEnd().split('\n'),
  }
}
