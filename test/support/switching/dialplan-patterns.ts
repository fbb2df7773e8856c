/** How Asterisk's dialplan selects among the patterns of a context. */

/** The sort order of a pattern at one position: the fewer characters it matches, the earlier it is tried. */
export interface Sign {
  readonly weight: number
  admits(sign: string): boolean
}

const compiled = new Map<string, readonly Sign[] | null>()

/** Null for text that is not a pattern. */
export function signsOf(pattern: string): readonly Sign[] | null {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  const made = pattern.startsWith('_') ? readSigns(pattern.slice(1)) : null
  compiled.set(pattern, made)
  return made
}

function readSigns(text: string): Sign[] {
  const signs: Sign[] = []
  for (const [part] of text.matchAll(/\[[^\]]+\]|./gs)) {
    if (part === 'X') signs.push({ weight: 10, admits: sign => /^[0-9]$/.test(sign) })
    else if (part === '!') signs.push({ weight: 1000, admits: () => true })
    else if (part.startsWith('[')) {
      const set = part.slice(1, -1).replace(/(.)-(.)/g, (_, from: string, to: string) => {
        const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)]
        return Array.from({ length: last - first + 1 }, (__, i) => String.fromCharCode(first + i)).join('')
      })
      signs.push({ weight: set.length, admits: sign => set.includes(sign) })
    } else signs.push({ weight: 1, admits: sign => sign === part })
  }
  return signs
}

export function matches(signs: readonly Sign[], exten: string): boolean {
  for (const [place, sign] of signs.entries()) {
    if (sign.weight === 1000) return true
    const found = exten[place]
    if (found === undefined || !sign.admits(found)) return false
  }
  return signs.length === exten.length
}

export function before(one: readonly Sign[], other: readonly Sign[]): boolean {
  for (let place = 0; place < Math.max(one.length, other.length); place++) {
    const [a, b] = [one[place]?.weight ?? 2000, other[place]?.weight ?? 2000]
    if (a !== b) return a < b
  }
  return false
}
