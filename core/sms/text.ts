import { SegmentedMessage } from 'sms-segments-calculator'

export interface TextForm {
  /** GSM 03.38 (160 septets in one part, 153 in each of several) or UCS-2 (70 and 67 units). */
  readonly alphabet: 'GSM-7' | 'UCS-2'
  readonly parts: number
}

/** How a phone network carries a text. */
export function textForm(text: string): TextForm {
  const { encodingName, segmentsCount } = new SegmentedMessage(text)
  return { alphabet: encodingName, parts: segmentsCount }
}

/** The text as UTF-16BE in hexadecimal digits. */
export const hexUtf16be = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, '0')).join('')
