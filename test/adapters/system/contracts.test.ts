import { system } from '../../../adapters/system/system.ts'
import { proveMachine } from '../../contracts/system/system.ts'
import { manualClock } from '../../support/clock.ts'
import { cheapPasswords } from '../../support/passwords.ts'

proveMachine('the system', system)
proveMachine('the tests', { clock: manualClock, passwords: () => cheapPasswords })
