/** The flags with which Node runs TypeScript directly, on every thread. */
export const TYPESCRIPT: readonly string[] = [
  '--import',
  'tsx',
  '--import',
  new URL('typescript.mjs', import.meta.url).href,
]
