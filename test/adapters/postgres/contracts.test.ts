import { EVERY_PORT, prove } from '../../contracts/all.ts'
import { openEmpty } from '../../support/postgres/databases.ts'

/** Whoever begins to follow changes is not told yet from when: what is stored in that moment may be missed. */
const serves = EVERY_PORT.filter(port => port !== 'switchChanges')

prove({ name: 'PostgreSQL', serves, open: openEmpty })
