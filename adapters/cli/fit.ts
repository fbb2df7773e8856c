import { printable } from './styles.ts'
import { widthOf } from './width.ts'

/** The text in at most so many columns of a terminal, an ellipsis in the place of what is cut. */
export function fit(text: string, width: number): string {
  const safe = printable(text)
  if (widthOf(safe) <= width) return safe
  const characters = [...safe].slice(0, width)
  while (widthOf(characters.join('')) >= width) characters.pop()
  return `${characters.join('')}…`
}
