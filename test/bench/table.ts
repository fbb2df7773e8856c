import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** One line of the table. `met` is null for a figure without a goal. */
export interface Line {
  readonly what: string
  readonly baseline: string
  readonly ours: string
  readonly ratio: string
  readonly goal: string
  readonly met: boolean | null
}

const HEAD = ['what', 'baseline', 'Trunkline', 'ratio', 'goal', 'met']
const BEGIN = '<!-- bench: written by `npm run bench -- --write` -->'
const END = '<!-- /bench -->'

const cells = ({ what, baseline, ours, ratio, goal, met }: Line): string[] => [
  what,
  baseline,
  ours,
  ratio,
  goal,
  met === null ? '' : met ? 'yes' : '**no**',
]

/** The lines as a Markdown table whose columns line up. */
export function table(lines: readonly Line[]): string {
  const rows = [HEAD, ...lines.map(cells)]
  const widths = HEAD.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const [head = '', ...body] = rows.map(
    row => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  return [head, `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`, ...body].join('\n')
}

/** Puts the text between the markers of the file, or at its end when it has none. */
export function writeBetween(path: string, text: string): void {
  const old = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const [start, end] = [old.indexOf(BEGIN), old.indexOf(END)]
  const section = `${BEGIN}\n\n${text}\n\n${END}`
  const isMarked = start >= 0 && end > start
  writeFileSync(path, isMarked ? old.slice(0, start) + section + old.slice(end + END.length) : `${old}\n${section}\n`)
}
