import { stripVTControlCharacters, styleText } from 'node:util'
import { classOf, type StatusClass } from '../../core/sms/status-class.ts'
import type { Context } from './context.ts'

export const styled = (
  { options }: Pick<Context, 'options'>,
  style: Parameters<typeof styleText>[0],
  text: string,
): string => (options.color ? styleText(style, text, { validateStream: false }) : text)

type Style = 'green' | 'red' | 'yellow'

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

/** A text that says a state, in the colour of that state; the text says it all without. */
export function coloured(context: Pick<Context, 'options'>, text: string): string {
  const state = text.toLowerCase()
  const delivery = classOf(state)
  const style = Object.hasOwn(STYLE_OF, state) ? STYLE_OF[state] : delivery && STYLE_OF_CLASS[delivery]
  return style ? styled(context, style, text) : text
}

/** What a terminal would act on, or what would break a row, is no part of a cell. */
export const printable = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
