import { accounts } from './accounts.ts'
import type { Check } from './check.ts'
import { daemon } from './daemon.ts'
import { damage } from './damage.ts'
import { decks } from './decks.ts'
import { dialling } from './dialling.ts'
import { duplicates } from './duplicates.ts'
import { feeds } from './feeds.ts'
import { file } from './file.ts'
import { gateways } from './gateways.ts'
import { limits } from './limits.ts'
import { log } from './log.ts'
import { notices } from './notices.ts'
import { oddities } from './oddities.ts'
import { quarantine } from './quarantine.ts'
import { settings } from './settings.ts'
import { sms } from './sms.ts'
import { statuses } from './statuses.ts'
import { tenancy } from './tenancy.ts'
import { timeZones } from './time-zones.ts'
import { unrated } from './unrated.ts'

/** What `doctor` looks at, in this order; a new check is a file of its own and a line here. */
export const CHECKS: readonly Check[] = [
  oddities,
  file,
  damage,
  log,
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
  decks,
  quarantine,
  unrated,
  dialling,
  notices,
  daemon,
]
