import type { Check } from '../check.ts'

/** Settings that are each right, and do not fit together. */
export const oddities: Check = {
  about: 'the settings',
  async *examine({ oddities }) {
    yield* oddities
  },
}
