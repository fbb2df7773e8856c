import { prove } from '../../contracts/all.ts'
import type { Port } from '../../contracts/contract.ts'
import { openEmpty } from '../../support/postgres/databases.ts'

const serves: readonly Port[] = ['records', 'audit']

prove({ name: 'PostgreSQL', serves, open: openEmpty })
