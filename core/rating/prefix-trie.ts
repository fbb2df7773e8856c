const NODE = 16 // slots; 64 bytes, one line of the processor's cache
const VALUE = 15
const STAR = 10
const HASH = 11
const NEVER_SET = 12
const FIRST_NODES = 1024

/** Values (positive integers) under words of `0-9 * #`, empty ones apart. */
export interface PrefixTrie {
  /** Sets the value under a word to what `change` makes of the present one, 0 when there is none. */
  update(word: string, change: (present: number) => number): void
  /** The value of the longest word that `text` begins with; 0 when there is none. */
  longest(text: string): number
  /** The values of all words that `text` begins with, the longest first. */
  all(text: string): number[]
}

/**
 * A trie in one array. A node has a slot for each symbol and one for its own value. A symbol's slot holds the place of
 * the next node or, when no longer word goes on from there, the value itself, negated: most words of a deck end so, and
 * need no node.
 */
export function prefixTrie(): PrefixTrie {
  let slots = new Int32Array(FIRST_NODES * NODE)
  let used = NODE

  const addNode = (value: number): number => {
    if (used === slots.length) {
      const larger = new Int32Array(slots.length * 2)
      larger.set(slots)
      slots = larger
    }
    slots[used + VALUE] = value
    used += NODE
    return used - NODE
  }

  const nodeAt = (slot: number): number => {
    const found = slots[slot] ?? 0
    if (found > 0) return found
    const added = addNode(-found)
    slots[slot] = added
    return added
  }

  return {
    update(word, change) {
      let slot = 0
      for (let i = 0; i < word.length; i++) slot = (i === 0 ? 0 : nodeAt(slot)) + symbolAt(word, i)
      const found = slots[slot] ?? 0
      if (found > 0) slots[found + VALUE] = change(slots[found + VALUE] ?? 0)
      else slots[slot] = -change(-found)
    },

    longest(text) {
      let longest = 0
      let node = 0
      for (let i = 0; i < text.length; i++) {
        node = slots[node + symbolAt(text, i)] ?? 0
        if (node <= 0) return -node || longest
        longest = slots[node + VALUE] || longest
      }
      return longest
    },

    all(text) {
      const values: number[] = []
      let node = 0
      for (let i = 0; i < text.length; i++) {
        node = slots[node + symbolAt(text, i)] ?? 0
        const value = node > 0 ? (slots[node + VALUE] ?? 0) : -node
        if (value > 0) values.unshift(value)
        if (node <= 0) break
      }
      return values
    },
  }
}

function symbolAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return code >= 48 && code <= 57 ? code - 48 : code === 42 ? STAR : code === 35 ? HASH : NEVER_SET
}
