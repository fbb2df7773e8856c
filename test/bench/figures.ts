export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
export const perSecond = (value: number): string => `${whole(value)}/s`
export const times = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ×`
export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`

/** Measures both alternately, each first every other time; the baseline only if a comparison is wanted. */
export async function alternate(
  { rounds, isCompared }: { readonly rounds: number; readonly isCompared: boolean },
  baseline: () => Promise<number>,
  ours: () => Promise<number>,
): Promise<{ baseline: number; ours: number }> {
  const found: { baseline: number[]; ours: number[] } = { baseline: [], ours: [] }
  for (let round = 0; round < rounds; round++) {
    if (isCompared && round % 2 === 0) found.baseline.push(await baseline())
    found.ours.push(await ours())
    if (isCompared && round % 2 === 1) found.baseline.push(await baseline())
  }
  return { baseline: median(found.baseline), ours: median(found.ours) }
}
