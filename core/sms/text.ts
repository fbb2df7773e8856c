import { SegmentedMessage } from 'sms-segments-calculator'

export interface TextForm {
  /** GSM 03.38 (160 septets in one part, 153 in each of several) or UCS-2 (70 and 67 units). */
  readonly alphabet: 'GSM-7' | 'UCS-2'
  readonly parts: number
}

/** Characters of one septet each: such a text needs no analysis, which takes the library 4 ms for a long one. */
const PLAIN = /^[ -Z_a-z\n]*$/

/** Returns how a phone network carries a text. */
export function textForm(text: string): TextForm {
  if (PLAIN.test(text)) return { alphabet: 'GSM-7', parts: text.length <= 160 ? 1 : Math.ceil(text.length / 153) }
  const { encodingName, segmentsCount } = new SegmentedMessage(text)
  return { alphabet: encodingName, parts: segmentsCount }
}

/** Texts up to this length fit one part in either alphabet. */
const SHORT = 70

/** Returns the number of parts of a text. */
export const partsOf = (text: string): number => (text.length <= SHORT ? 1 : textForm(text).parts)

/** Encodes the text as UTF-16BE in hexadecimal digits. */
export const hexUtf16be = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, '0')).join('')
