import { stripVTControlCharacters, styleText } from 'node:util'
import type { Context } from './context.ts'

export const styled = (
  { options }: Pick<Context, 'options'>,
  style: Parameters<typeof styleText>[0],
  text: string,
): string => (options.color ? styleText(style, text, { validateStream: false }) : text)

const STYLE_OF: Readonly<Record<string, 'green' | 'red' | 'yellow'>> = Object.fromEntries([
  ...['active', 'enabled', 'answered', 'submitted', 'delivered', 'delivrd', 'up', 'ok'].map(word => [word, 'green']),
  ...['failed', 'disabled', 'suspended', 'undeliv', 'rejectd', 'expired', 'down'].map(word => [word, 'red']),
  ...['inactive', 'queued', 'busy', 'no answer', 'accepted', 'unknown'].map(word => [word, 'yellow']),
])

/** Does this state tell of something that did not work? */
export const isBad = (state: string): boolean => STYLE_OF[state.toLowerCase()] === 'red'

/** A text that says a state, in the colour of that state; the text says it all without. */
export function coloured(context: Pick<Context, 'options'>, text: string): string {
  const style = Object.hasOwn(STYLE_OF, text.toLowerCase()) ? STYLE_OF[text.toLowerCase()] : undefined
  return style ? styled(context, style, text) : text
}

/** What a terminal would act on, or what would break a row, is no part of a cell. */
export const printable = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
