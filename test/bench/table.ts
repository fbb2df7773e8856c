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

const head = ([baseline, ours]: Compared): string[] => ['what', baseline, ours, 'ratio', 'goal', 'met']

/** The names of what is compared. */
type Compared = readonly [baseline: string, ours: string]

/** The parts of BENCHMARKS.md that a program writes, with its command. */
const SECTIONS = {
  bench: 'npm run bench -- --write',
  storages: 'npm run bench -- --storage postgres --write',
  growth: 'npm run bench -- --growth --write',
} as const

const cells = ({ what, baseline, ours, ratio, goal, met }: Line): string[] => [
  what,
  baseline,
  ours,
  ratio,
  goal,
  met === null ? '' : met ? 'yes' : '**no**',
]

/** Formats rows, the first of which is the header, as a Markdown table with aligned columns. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? []
  const [head = '', ...body] = rows.map(
    row => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  return [head, `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`, ...body].join('\n')
}

export const table = (lines: readonly Line[], compared: Compared): string =>
  aligned([head(compared), ...lines.map(cells)])

/** The same rows, measured at several numbers of records, side by side. */
export function growthTable(sizes: readonly string[], found: readonly (readonly Line[])[]): string {
  const rows = found[0]?.map(({ what }, line) => [what, ...found.map(lines => lines[line]?.ours ?? '')]) ?? []
  return aligned([['number of CDRs', ...sizes], ...rows])
}

/** Puts the text between the section's markers in the file, or at its end if it has none. */
export function writeBetween(path: string, section: keyof typeof SECTIONS, text: string): void {
  const old = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const begin = `<!-- ${section}: written by \`${SECTIONS[section]}\` -->`
  const end = `<!-- /${section} -->`
  const [from, to] = [old.indexOf(begin), old.indexOf(end)]
  const written = `${begin}\n\n${text}\n\n${end}`
  const isMarked = from >= 0 && to > from
  writeFileSync(path, isMarked ? old.slice(0, from) + written + old.slice(to + end.length) : `${old}\n${written}\n`)
}
