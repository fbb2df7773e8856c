import type { Check } from '../check.ts'

/** Checks whether the daemon runs and serves this database. */
export const daemon: Check = {
  about: 'the daemon',
  async *examine(patient) {
    const { state, url, serves_this, is_served } = await patient.daemon()
    if (serves_this === false)
      yield {
        kind: 'daemon_elsewhere',
        finding: `the daemon at ${url} serves another database`,
        fix: 'trunkline config show',
      }
    if (state === 'down' && is_served)
      yield {
        kind: 'daemon_address',
        finding: `a daemon serves this database, but none answers at ${url}`,
        fix: 'trunkline config show',
      }
    else if (state === 'down')
      yield { kind: 'daemon_down', finding: `the daemon does not answer at ${url}`, fix: 'trunkline serve' }
  },
}
