import { switchMetric } from '../../daemon-metrics.ts'
import type { Check } from '../check.ts'

/** The name that an operator knows. */
const NAMES = { asterisk: 'Asterisk', freeswitch: 'FreeSWITCH' } as const

/** Checks whether the daemon has brought the switches in line; before its first success they lack any change. */
export const following: Check = {
  about: 'how far the daemon has brought the switch',
  async *examine(patient) {
    const switches = await patient.switches()
    if (switches.length === 0) return
    const metrics = await patient.metrics()
    for (const { kind } of switches)
      if (
        switchMetric(metrics, kind, 'connected') === 1 &&
        switchMetric(metrics, kind, 'reconciled_timestamp_seconds') === null
      )
        yield {
          kind: `${kind}_behind`,
          finding: `trunklined has not brought ${NAMES[kind]} in line with the database yet; if that stays, its log says why`,
          fix: 'systemctl status trunklined, and its log',
        }
  },
}

/** Checks whether any daemon follows changes for the switch. */
export const isFollowed: Check = {
  about: 'the daemon',
  async *examine(patient) {
    if ((await patient.switches()).length === 0) return
    const { state, url, is_served } = await patient.daemon()
    if (state === 'down' && !is_served)
      yield {
        kind: 'daemon_down',
        finding: `the daemon does not answer at ${url}: no change reaches the switch, and no call is stored`,
        fix: 'trunkline serve',
      }
  },
}
