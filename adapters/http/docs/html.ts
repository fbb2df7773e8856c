/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | readonly Part[]

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(textOf).join('')
  return String(part).replace(/[&<>"']/g, character => ENTITIES[character] ?? '')
}

/** Builds HTML, escaping values that are not HTML themselves. */
export const html = (literals: TemplateStringsArray, ...values: readonly Part[]): Html =>
  new Html(String.raw({ raw: literals }, ...values.map(textOf)))
