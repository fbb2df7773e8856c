const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const ASCII = /^[\x20-\x7e]*$/

let segmenter: Intl.Segmenter | undefined

function graphemes(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

const columnsTaken = (grapheme: string): number => (ZERO.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1)

/** Returns the number of terminal columns that a text takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes(text)) width += columnsTaken(segment)
  return width
}

/** More code units than any real character uses for a column: text beyond is cut unread. */
const UNITS_A_COLUMN = 16

/** Returns the text in at most `width` columns, with an ellipsis if it was cut. */
export function cut(text: string, width: number): string {
  const read = text.slice(0, width * UNITS_A_COLUMN)
  if (read === text && widthOf(text) <= width) return text
  let taken = 0
  let kept = ''
  for (const { segment } of graphemes(read)) {
    taken += columnsTaken(segment)
    if (taken > width - 1) break
    kept += segment
  }
  return `${kept}…`
}
