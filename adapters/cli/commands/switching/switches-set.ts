import type { TelephoneSwitch } from '../../../../core/ports/switching.ts'
import type { Context } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import type { Wiring } from '../../program.ts'

/** Returns the switches in the settings. Throws CliError if there is none. */
export async function switchesSet({ options }: Context, wiring: Wiring): Promise<readonly TelephoneSwitch[]> {
  const switches = await wiring.switches(options)
  if (switches.length > 0) return switches
  throw new CliError(
    EXIT.configuration,
    'no switch is set: the setting freeswitch or asterisk says how to reach it',
    'trunkline switch setup --help',
  )
}
