import { EVERY_PORT, prove } from '../contracts/all.ts'
import { openEmpty } from '../support/postgres/databases.ts'

prove({ name: 'Citus', serves: EVERY_PORT, open: clock => openEmpty(clock) })
