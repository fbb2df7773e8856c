import type { Check } from '../check.ts'

/** Reports settings that are valid one by one, but not together. */
export const oddities: Check = {
  about: 'the settings',
  async *examine({ oddities }) {
    yield* oddities
  },
}
