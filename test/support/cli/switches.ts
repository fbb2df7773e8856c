import { AppError } from '../../../core/errors.ts'
import type { LiveCall, Phone, SwitchFinding, TelephoneSwitch } from '../../../core/ports/switching.ts'
import type { RunOptions } from './cli.ts'

export const aPhone: Phone = {
  ...{ tenant: 'acme', extension: '101', address: '192.0.2.7:5060', agent: 'Yealink T46U 66.85' },
  expiresAt: '2026-11-22T10:00:00.000000Z',
}

/** The call that the example of `calls end` ends. */
export const aCall: LiveCall = {
  ...{ id: '1781e2c8-7c5f-4b0a-a9e7-5a8d2b0f1c11', tenant: 'acme', extension: '101' },
  ...{ from: '101', to: '+380441234567', direction: 'outbound', trunk: 'carrier-one' },
  ...{ startedAt: '2026-11-22T10:00:00.000000Z', answeredAt: '2026-11-22T10:00:05.000000Z' },
}

/** The contents of a switch; `away` is the error that it answers with. */
export interface Has {
  readonly kind?: TelephoneSwitch['kind']
  readonly phones?: readonly Phone[]
  readonly calls?: readonly LiveCall[]
  readonly findings?: readonly SwitchFinding[]
  readonly waiting?: number | null
  readonly rendered?: TelephoneSwitch['render']
  readonly away?: string
}

/** A switch with these contents, and the calls that it was asked to end. */
export function heldSwitch({ kind = 'freeswitch', phones = [], calls = [], findings = [], away, ...has }: Has = {}) {
  const ended: string[] = []
  const answer = async <T>(value: T): Promise<T> => {
    if (away !== undefined) throw new AppError('unavailable', away)
    return value
  }
  const held: TelephoneSwitch = {
    kind,
    phones: () => answer(phones),
    calls: () => answer(calls),
    end: async id => {
      const isThere = await answer(calls.some(call => call.id === id))
      if (isThere) ended.push(id)
      return isThere
    },
    check: () => answer(findings),
    render: has.rendered ?? (async () => []),
    recordsWaiting: async () => has.waiting ?? null,
  }
  return { held, ended }
}

/** Runs a command with switches of these contents. */
export const withSwitches = (...switches: Has[]): RunOptions => ({
  wiring: wiring => ({ ...wiring, switches: async () => switches.map(has => heldSwitch(has).held) }),
})
