import { before } from 'node:test'
import { EVERY_PORT, prove } from '../contracts/all.ts'
import { assertCluster, openEmptyCluster } from '../support/citus.ts'

before(assertCluster)

prove({ name: 'Citus', serves: EVERY_PORT, open: openEmptyCluster })
