import type { Check } from './check.ts'
import { decks } from './records/decks.ts'
import { dialling } from './records/dialling.ts'
import { duplicates } from './records/duplicates.ts'
import { gateways } from './records/gateways.ts'
import { limits } from './records/limits.ts'
import { settings } from './records/settings.ts'
import { sms } from './records/sms.ts'
import { statuses } from './records/statuses.ts'
import { switched } from './records/switched.ts'
import { tenancy } from './records/tenancy.ts'
import { timeZones } from './records/time-zones.ts'
import { unrated } from './records/unrated.ts'
import { accounts } from './service/accounts.ts'
import { callMonths } from './service/call-months.ts'
import { daemon } from './service/daemon.ts'
import { damage } from './service/damage.ts'
import { asteriskRecords, failing, feeds } from './service/feeds.ts'
import { file } from './service/file.ts'
import { following, isFollowed } from './service/following.ts'
import { log } from './service/log.ts'
import { notices } from './service/notices.ts'
import { oddities } from './service/oddities.ts'
import { quarantine } from './service/quarantine.ts'
import { server } from './service/server.ts'
import { isSwitchSet, switches } from './service/switches.ts'

/** The checks of `doctor`, in order; a new check is its own file and a line here. */
export const CHECKS: readonly Check[] = [
  oddities,
  file,
  damage,
  callMonths,
  log,
  server,
  accounts,
  limits,
  duplicates,
  tenancy,
  statuses,
  settings,
  timeZones,
  gateways,
  sms,
  feeds,
  failing,
  decks,
  quarantine,
  unrated,
  dialling,
  notices,
  daemon,
  switched,
  switches,
  following,
]

/** The checks of `switch check`. */
export const SWITCH_CHECKS: readonly Check[] = [
  isSwitchSet,
  isFollowed,
  switched,
  switches,
  asteriskRecords,
  failing,
  following,
]
