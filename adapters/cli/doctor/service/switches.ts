import { AppError } from '../../../../core/errors.ts'
import type { SwitchFinding, TelephoneSwitch } from '../../../../core/ports/switching.ts'
import type { Check } from '../check.ts'

/** Reports what the switches find wrong with themselves. */
export const switches: Check = {
  about: 'the switch',
  async *examine(patient) {
    for (const each of await patient.switches())
      for (const { code, severity, finding, fix } of await findingsOf(each))
        yield { kind: code, severity, finding, fix: fix ?? '' }
  },
}

async function findingsOf(each: TelephoneSwitch): Promise<readonly SwitchFinding[]> {
  try {
    return await each.check()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const finding = error.message.replace(/\.$/, '')
    const { hint } = error.details
    return [
      {
        code: 'switch_away',
        severity: 'error',
        finding,
        fix: typeof hint === 'string' ? hint : 'trunkline config show',
      },
    ]
  }
}

export const isSwitchSet: Check = {
  about: 'the settings of the switch',
  async *examine(patient) {
    if ((await patient.switches()).length === 0)
      yield {
        kind: 'no_switch',
        finding: 'no switch is set: the setting freeswitch or asterisk says how to reach it',
        fix: 'trunkline switch setup --help',
      }
  },
}
