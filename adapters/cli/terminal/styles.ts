import { randomInt } from 'node:crypto'
import { stripVTControlCharacters } from 'node:util'
import { classOf, type StatusClass } from '../../../core/sms/status-class.ts'

/** The codes that switch each style on and off in a terminal. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  white: [97, 39],
  onBlack: [40, 49],
} as const

type Style = keyof typeof CODES

/** Whether standard output may use colours. */
type Coloured = { readonly options: { readonly color: boolean } }

/** Our own styles contain this number, which no text from outside can know. It never reaches a terminal. */
const KEY = Array.from({ length: 4 }, () => randomInt(1_000, 10_000)).join(';')
const OURS = new RegExp(`\\u001b\\[(\\d+);${KEY}m`)

/** Returns the text in a style if standard output has colours. `cleaned` keeps the style; anything else drops it. */
export function styled({ options }: Coloured, style: Style, text: string): string {
  const [on, off] = CODES[style]
  return options.color ? `\u001b[${on};${KEY}m${text}\u001b[${off};${KEY}m` : text
}

const STYLE_OF: Readonly<Record<string, Style>> = Object.fromEntries([
  ...['active', 'enabled', 'answered', 'submitted', 'up', 'ok'].map(word => [word, 'green']),
  ...['disabled', 'suspended', 'down'].map(word => [word, 'red']),
  ...['inactive', 'busy', 'no answer'].map(word => [word, 'yellow']),
])

const STYLE_OF_CLASS: Readonly<Record<StatusClass, Style>> = {
  delivered: 'green',
  failed: 'red',
  pending: 'yellow',
  unknown: 'yellow',
}

/** Returns a word for a state, in its colour. */
export function coloured(context: Coloured, text: string): string {
  const state = text.toLowerCase()
  const delivery = classOf(state)
  const style = Object.hasOwn(STYLE_OF, state) ? STYLE_OF[state] : delivery && STYLE_OF_CLASS[delivery]
  return style ? styled(context, style, text) : text
}

/** Characters that reorder the text around them, so that it reads differently. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/g

/** Removes what would control a terminal, break a line or reorder the text. */
export const printable = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(REORDERING, '')

/**
 * Cleans a line for display: keeps tabs and, on a screen, our own styles; removes everything else that `printable`
 * does.
 */
export function cleaned(line: string, isScreen: boolean): string {
  const parts = line.split(OURS)
  return parts
    .map((part, i) => {
      if (i % 2 === 0) return part.split('\t').map(printable).join('\t')
      return isScreen ? `\u001b[${part}m` : ''
    })
    .join('')
}
