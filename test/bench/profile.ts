import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface ProfileNode {
  readonly id: number
  readonly callFrame: {
    readonly functionName: string
    readonly url: string
    readonly lineNumber: number
    readonly columnNumber: number
  }
  readonly children?: readonly number[]
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** The one profile in the folder. */
export function readProfile(folder: string): CpuProfile {
  const file = readdirSync(folder).find(name => name.endsWith('.cpuprofile'))
  if (file === undefined) throw new Error(`There is no profile in ${folder}.`)
  return JSON.parse(readFileSync(join(folder, file), 'utf8'))
}

const maps = new Map<string, SourceMap | null>()

function mapOf(path: string): SourceMap | null {
  const known = maps.get(path)
  if (known !== undefined) return known
  const found = existsSync(`${path}.map`) ? new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8'))) : null
  maps.set(path, found)
  return found
}

/** Where a function was defined: the source file, the file of a package, or `node:…`. */
function sourceOf({ url, lineNumber, columnNumber }: ProfileNode['callFrame']): string {
  if (!url.startsWith('file:')) return url
  const path = fileURLToPath(url)
  const entry = mapOf(path)?.findEntry(lineNumber, columnNumber)
  return entry && 'originalSource' in entry ? entry.originalSource : path
}

/**
 * The share of each group in the time when the process worked. A sample counts for the innermost function on its stack
 * that `groupOf` recognises by source file and name; null passes it to the caller.
 */
export function shares(
  { nodes, samples, timeDeltas }: CpuProfile,
  groupOf: (source: string, name: string) => string | null,
): Map<string, number> {
  const groups = new Map<number, string>()
  const byId = new Map(nodes.map(node => [node.id, node]))
  const visit = (id: number, inherited: string): void => {
    const node = byId.get(id)
    if (!node) return
    const { callFrame, children = [] } = node
    const group = groupOf(sourceOf(callFrame), callFrame.functionName) ?? inherited
    groups.set(id, group)
    for (const child of children) visit(child, group)
  }
  visit(nodes[0]?.id ?? 0, 'rest')
  const spent = new Map<string, number>()
  let total = 0
  samples.forEach((id, i) => {
    const group = groups.get(id) ?? 'rest'
    if (group === 'idle') return
    const time = timeDeltas[i] ?? 0
    total += time
    spent.set(group, (spent.get(group) ?? 0) + time)
  })
  return new Map([...spent].map(([group, time]) => [group, time / total]))
}
