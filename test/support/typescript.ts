/** The flags with which Node runs TypeScript as it stands, on every thread. */
export const TYPESCRIPT: readonly string[] = [
  '--import',
  'tsx',
  '--import',
  new URL('typescript.mjs', import.meta.url).href,
]
