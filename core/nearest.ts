/** How many letters may differ in a text that is more likely a typo than another name. */
const likely = (name: string): number => Math.max(2, Math.floor(name.length / 3))

/** The known name that comes nearest to a mistyped one, `most` letters apart; null when none is near. */
export function nearest(name: string, known: Iterable<string>, most = likely(plain(name))): string | null {
  const wanted = plain(name)
  let best: string | null = null
  let least = most + 1
  for (const candidate of known) {
    const form = plain(candidate)
    if (Math.abs(form.length - wanted.length) >= least) continue
    const distance = edits(wanted, form)
    if (distance >= least) continue
    least = distance
    best = candidate
  }
  return best
}

/** A name as it is compared: in any case, with blanks, dots, dashes or slashes for underscores. */
export const plain = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_\-./]+/g, '_')

/** How many letters must be put in, taken out or changed to make one of the other. */
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
