import { CALL_CONTRACTS, EVERY_PORT, prove } from '../../contracts/all.ts'
import { openEmpty, openEmptyByMonth } from '../../support/postgres/databases.ts'

prove({ name: 'PostgreSQL', serves: EVERY_PORT, open: clock => openEmpty(clock) })
prove({ name: 'PostgreSQL with calls by month', serves: EVERY_PORT, open: openEmptyByMonth }, CALL_CONTRACTS)
