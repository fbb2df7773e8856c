import { prove } from '../../contracts/all.ts'
import type { Port } from '../../contracts/contract.ts'
import { openEmpty } from '../../support/postgres/databases.ts'

const serves: readonly Port[] = [
  'records',
  'messages',
  'bulk',
  'maintenance',
  'limitUsage',
  'switchDirectory',
  'calls',
  'decks',
  'smsRoutes',
  'trunkRoutes',
  'smsReports',
  'accounts',
  'sessions',
  'audit',
  'retention',
  'heartbeat',
  'indexing',
  'gauges',
  'serverKeys',
  'notices',
]

prove({ name: 'PostgreSQL', serves, open: openEmpty })
