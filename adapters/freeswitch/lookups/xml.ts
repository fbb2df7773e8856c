/** An element of an answer to FreeSWITCH, with attributes and children but no text. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
}

export const element = (
  name: string,
  attributes: Element['attributes'] = {},
  children: readonly Element[] = [],
): Element => ({ name, attributes, children })

/** Returns `<param name="…" value="…"/>` for each. */
export const params = (values: Readonly<Record<string, string>>, name = 'param'): Element[] =>
  Object.entries(values).map(([key, value]) => element(name, { name: key, value }))

/** Characters that XML cannot hold in any form. */
const UNFIT = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu
const PLAIN = /[^A-Za-z0-9 _.,:;/@+*=()[\]{}|^!?#~%\u0080-\u{10FFFF}]/gu

/**
 * FreeSWITCH's preprocessor reads the text before its XML parser: it replaces `$${…}`, drops lines with
 * `X-PRE-PROCESS`, and interprets comments and includes. Only characters without a meaning to either stay unescaped.
 */
export const escaped = (value: string): string =>
  value.replace(UNFIT, '').replace(PLAIN, character => `&#${character.codePointAt(0)};`)

/** The one writer of XML: all on one line, without the `<?xml …?>`, which would lose that line. */
function xmlOf({ name, attributes, children }: Element): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  const start = `<${name}${written.join('')}`
  return children.length === 0 ? `${start}/>` : `${start}>${children.map(xmlOf).join('')}</${name}>`
}

/** A complete answer with one section. */
export const documentOf = (section: string, children: readonly Element[]): string =>
  xmlOf(element('document', { type: 'freeswitch/xml' }, [element('section', { name: section }, children)]))

/** The answer for what does not exist; FreeSWITCH then consults its static files. */
export const NOT_FOUND = documentOf('result', [element('result', { status: 'not found' })])
