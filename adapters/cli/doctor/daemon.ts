import type { Check } from './check.ts'

/** Is the daemon there, and does it serve this database? */
export const daemon: Check = {
  about: 'the daemon',
  async *examine(patient) {
    const { state, url, serves_this } = await patient.daemon()
    if (serves_this === false)
      yield {
        kind: 'daemon_elsewhere',
        finding: `the daemon at ${url} serves another database`,
        fix: 'trunkline config show',
      }
    if (state === 'down')
      yield { kind: 'daemon_down', finding: `the daemon does not answer at ${url}`, fix: 'trunkline serve' }
  },
}
