export const FORMATS = ['csv', 'ndjson', 'json'] as const
export type Format = (typeof FORMATS)[number]

/** Returns the given format, else the one of the name's extension, else CSV. */
export function formatOf(chosen: Format | undefined, name: string): Format {
  if (chosen) return chosen
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase()
  return ending === 'ndjson' || ending === 'jsonl' ? 'ndjson' : ending === 'json' ? 'json' : 'csv'
}
