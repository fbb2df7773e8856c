import { asteriskFollower } from './follower.ts'
import { TELEPHONE_TABLE } from './render/telephones.ts'
import { asteriskSetup } from './setup.ts'
import { asteriskSwitch } from './switch.ts'

/** Everything that the program uses of this adapter. */
export const asterisk = { ask: asteriskSwitch, follow: asteriskFollower, setup: asteriskSetup, table: TELEPHONE_TABLE }
