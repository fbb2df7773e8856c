import type { Steps } from '../steps.ts'

const NODE = 16 // slots; 64 bytes, one cache line
const VALUE = 15
const STAR = 10
const HASH = 11
const SYMBOLS = 12
const NO_SYMBOL = 12
const FIRST_NODES = 1024
const NODES_A_STEP = 8192
/** The bit of a packed node's first cell that marks a value, above one bit for each symbol. */
const VALUE_BIT = 13

/** Maps words of `0-9 * #`, except the empty one, to positive integers. */
export interface PrefixTrie {
  /** Returns the value of the longest word that `text` begins with; 0 if there is none. */
  longest(text: string): number
  /** Returns the values of all words that `text` begins with, longest first. */
  all(text: string): number[]
}

export interface PrefixTrieBuilder {
  /** Sets a word's value to what `change` returns for the present one, 0 if there is none. */
  update(word: string, change: (present: number) => number): void
  /** Returns the trie of the words so far, in steps of about a millisecond. */
  trie(): Steps<PrefixTrie>
}

/**
 * Builds a trie in one array. A node has a slot for each symbol and one for its own value. A symbol's slot holds the
 * position of the next node, or the negated value if no longer word continues from there: most words of a deck end
 * that way and need no node.
 */
export function prefixTrieBuilder(): PrefixTrieBuilder {
  let slots = new Int32Array(FIRST_NODES * NODE)
  let used = NODE
  /** The number of used slots. */
  let filled = 0

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
    filled++
    slots[slot] = added
    return added
  }

  return {
    update(word, change) {
      let slot = 0
      for (let i = 0; i < word.length; i++) slot = (i === 0 ? 0 : nodeAt(slot)) + symbolAt(word, i)
      const found = slots[slot] ?? 0
      const present = found > 0 ? (slots[found + VALUE] ?? 0) : -found
      if (present === 0) filled++
      if (found > 0) slots[found + VALUE] = change(present)
      else slots[slot] = -change(present)
    },
    *trie() {
      return trieOf(yield* packed(slots.subarray(0, used), filled))
    },
  }
}

/**
 * Packs the nodes into a third of the memory, which speeds up matching. A node's first cell has a bit for each symbol
 * that continues, and one if the node has a value; the value follows, then a cell for each bit.
 */
function* packed(slots: Int32Array, filled: number): Steps<Int32Array> {
  const nodes = slots.length / NODE
  const cells = new Int32Array(nodes + filled)
  // Breadth first, so that the nodes every number passes are close together. For each node: its old position, and the
  // cell that leads to it.
  const [order, leading] = [new Int32Array(nodes), new Int32Array(nodes)]
  let [queued, end] = [1, 0]
  for (let n = 0; n < nodes; n++) {
    const node = order[n] ?? 0
    const first = end++
    const value = slots[node + VALUE] ?? 0
    cells[leading[n] ?? 0] = first
    if (value > 0) cells[end++] = value
    let bits = value > 0 ? 1 << VALUE_BIT : 0
    for (let symbol = 0; symbol < SYMBOLS; symbol++) {
      const found = slots[node + symbol] ?? 0
      if (found === 0) continue
      bits |= 1 << symbol
      if (found > 0) {
        order[queued] = found
        leading[queued++] = end
      }
      cells[end++] = found
    }
    cells[first] = bits
    if (n % NODES_A_STEP === NODES_A_STEP - 1) yield
  }
  return cells
}

function trieOf(cells: Int32Array): PrefixTrie {
  /** Returns the next node, the negated value of a word that ends there, or 0. */
  const after = (node: number, symbol: number): number => {
    const bits = cells[node] ?? 0
    const bit = 1 << symbol
    return (bits & bit) === 0 ? 0 : (cells[node + 1 + (bits >> VALUE_BIT) + ones(bits & (bit - 1))] ?? 0)
  }
  const valueAt = (node: number): number => ((cells[node] ?? 0) >> VALUE_BIT === 0 ? 0 : (cells[node + 1] ?? 0))
  return {
    longest(text) {
      let longest = 0
      let node = 0
      for (let i = 0; i < text.length; i++) {
        node = after(node, symbolAt(text, i))
        if (node <= 0) return -node || longest
        longest = valueAt(node) || longest
      }
      return longest
    },

    all(text) {
      const values: number[] = []
      let node = 0
      for (let i = 0; i < text.length; i++) {
        node = after(node, symbolAt(text, i))
        const value = node > 0 ? valueAt(node) : -node
        if (value > 0) values.unshift(value)
        if (node <= 0) break
      }
      return values
    },
  }
}

/** Returns the number of set bits among twelve. */
function ones(bits: number): number {
  const pairs = bits - ((bits >> 1) & 0x555)
  const fours = (pairs & 0x333) + ((pairs >> 2) & 0x333)
  return (fours + (fours >> 4) + (fours >> 8)) & 0xf
}

function symbolAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return code >= 48 && code <= 57 ? code - 48 : code === 42 ? STAR : code === 35 ? HASH : NO_SYMBOL
}
