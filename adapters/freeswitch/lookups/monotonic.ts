/** Milliseconds of a clock that all threads share; each has its own `performance.now()`. */
export const monotonic = (): number => Number(process.hrtime.bigint()) / 1e6
