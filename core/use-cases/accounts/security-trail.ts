import type { Actor, Changes, SecurityAction } from '../../audit.ts'
import type { Timestamp } from '../../dates.ts'
import type { Accounts } from '../../ports/accounts.ts'
import type { Audit } from '../../ports/audit.ts'
import type { Digests } from '../../ports/digests.ts'
import type { ServerKeys } from '../../ports/server-keys.ts'
import type { Clock } from '../../ports/system.ts'

/** Where a request comes from. */
export interface Origin {
  readonly address: string
  /** What identifies a sender: an IPv4 address, or a /64 of IPv6. */
  readonly network: string
}

/**
 * Notes in the audit trail what people without a session do. Nothing waits for it, it never throws, and it writes a
 * bounded number of rows, however much happens: it counts the excess and notes the count.
 */
export interface SecurityTrail {
  loginFailed(email: string, from: Origin): void
  /** Logins to the account from that origin are now refused without a check; for `everybody`, all logins from there. */
  lockedOut(email: string, from: Origin, who: 'account' | 'everybody'): void
  /** A receipt for a gateway came without its token. */
  tokenRefused(gatewayId: number, from: Origin): void
  /** Notes what was counted in past periods; with `all`, also in the current one. */
  settle(all?: boolean): Promise<void>
}

interface Dependencies {
  readonly accounts: Pick<Accounts, 'findByEmail'>
  readonly audit: Pick<Audit, 'note'>
  readonly digests: Pick<Digests, 'hmac'>
  readonly serverKeys: ServerKeys
  readonly clock: Clock
}

type Noted = Extract<SecurityAction, 'login-failed' | 'lockout' | 'token-refused'>

const RESOURCE_OF: Readonly<Record<Noted, string>> = {
  'login-failed': 'accounts',
  lockout: 'accounts',
  'token-refused': 'sms_gateways',
}

const LONGEST_ADDRESS = 64

export function securityTrail({ accounts, audit, digests, serverKeys, clock }: Dependencies): SecurityTrail {
  const budget = rowBudget(clock)

  /** For unknown accounts not even the typed name is stored: it may be a password. */
  const claimed = async (email: string): Promise<{ name: string; id: number | null; changes: Changes }> => {
    const found = await accounts.findByEmail(email)
    if (found) return { name: found.email, id: found.id, changes: found.disabled ? { account: 'disabled' } : {} }
    const key = new TextEncoder().encode(await serverKeys.find('security trail'))
    const digest = digests.hmac('sha256', key, [email.toLowerCase()]).subarray(0, 8)
    const hex = [...digest].map(byte => byte.toString(16).padStart(2, '0')).join('')
    return { name: `unknown:${hex}`, id: null, changes: {} }
  }
  const note = (action: Noted, { address, network }: Origin, write: (origin: string) => Promise<void>): void => {
    if (!budget.admits(action, network)) return
    write(address.slice(0, LONGEST_ADDRESS)).catch(() => budget.count(action, network))
  }
  return {
    loginFailed: (email, from) =>
      note('login-failed', from, async origin => {
        const { name, id, changes } = await claimed(email)
        await audit.note('login-failed', 'accounts', id, changes, { name, origin })
      }),
    lockedOut: (email, from, who) =>
      note('lockout', from, async origin => {
        const { name, id, changes } = await claimed(email)
        await audit.note('lockout', 'accounts', id, { ...changes, locked_out: who }, { name, origin })
      }),
    tokenRefused: (gatewayId, from) =>
      note('token-refused', from, origin =>
        audit.note('token-refused', 'sms_gateways', gatewayId, {}, { name: 'unknown', origin }),
      ),
    settle: async all => {
      for (const counted of budget.counted(all)) {
        const { action, count, networks, since } = counted
        const from = networks.size < NETWORKS ? `${networks.size}` : `${NETWORKS} or more`
        const [only = ''] = networks
        const by: Actor = {
          name: 'unknown',
          origin: networks.size === 1 ? only.slice(0, LONGEST_ADDRESS) : `${from} addresses`,
        }
        await audit
          .note(action, RESOURCE_OF[action], null, { more: count, since }, by)
          .catch(() => budget.putBack(counted))
      }
    },
  }
}

interface Counted {
  readonly action: Noted
  /** When the first was counted. */
  readonly since: Timestamp
  readonly period: number
  count: number
  /** Their networks, up to a limit. */
  readonly networks: Set<string>
}

const PERIOD_SECONDS = 15 * 60
/** Rows in a period, for each kind of event and for each network within it. */
const ROWS = 15
const ROWS_OF_NETWORK = 5
const NETWORKS = 1_000

/** Limits the rows of each kind in a period; the rest is counted. */
function rowBudget(clock: Clock) {
  const spent = new Map<string, number>()
  const counts = new Map<Noted, Counted>()
  let current = Number.NaN
  const period = (): number => {
    const now = Math.floor(clock.monotonic() / PERIOD_SECONDS)
    if (now !== current) spent.clear()
    current = now
    return now
  }
  const count = (action: Noted, network: string): void => {
    const counted = counts.get(action) ?? fresh(action)
    counts.set(action, counted)
    counted.count++
    if (counted.networks.size < NETWORKS) counted.networks.add(network)
  }
  const fresh = (action: Noted): Counted => ({
    action,
    since: clock.now(),
    period: period(),
    count: 0,
    networks: new Set(),
  })
  return {
    count,
    admits: (action: Noted, network: string): boolean => {
      period()
      const [all, own] = [action, `${action} ${network}`].map(key => spent.get(key) ?? 0)
      if (all === undefined || own === undefined || all >= ROWS || own >= ROWS_OF_NETWORK) {
        count(action, network)
        return false
      }
      spent.set(action, all + 1).set(`${action} ${network}`, own + 1)
      return true
    },
    /** Returns what was counted, and starts over. */
    counted: (all = false): Counted[] => {
      const over = [...counts.values()].filter(counted => all || counted.period < period())
      for (const { action } of over) counts.delete(action)
      return over
    },
    /** Counts again what could not be written. */
    putBack: (counted: Counted): void => {
      const later = counts.get(counted.action)
      counted.count += later?.count ?? 0
      for (const network of later?.networks ?? []) if (counted.networks.size < NETWORKS) counted.networks.add(network)
      counts.set(counted.action, counted)
    },
  }
}
