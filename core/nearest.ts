/** The most edits that make a text a likely typo rather than another name. */
const likely = (name: string): number => Math.max(2, Math.floor(name.length / 3))

/** Returns the known name closest to a mistyped one, at most `most` edits away; null if none is that close. */
export function nearest(name: string, candidates: Iterable<string>, most = likely(plain(name))): string | null {
  const wanted = plain(name)
  let best: string | null = null
  let least = most + 1
  for (const candidate of candidates) {
    const form = plain(candidate)
    if (Math.abs(form.length - wanted.length) >= least) continue
    const distance = edits(wanted, form)
    if (distance >= least) continue
    least = distance
    best = candidate
  }
  return best
}

/** Normalizes a name for comparison: ignores case, and reads blanks, dots, dashes and slashes as underscores. */
export const plain = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_\-./]+/g, '_')

/** The Levenshtein distance of two texts. */
function edits(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const changed = (previous[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      row.push(Math.min(changed, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    previous = row
  }
  return previous.at(-1) ?? 0
}
