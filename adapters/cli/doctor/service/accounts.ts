import { counted } from '../../../../core/format-count.ts'
import type { Account } from '../../../../core/ports/accounts.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { quoted } from '../../command-line.ts'
import type { Services } from '../../context.ts'
import type { Check, Finding, Patient } from '../check.ts'

const ANOTHER = 'trunkline admin create admin@example.com --random-password'

/** Checks whether anybody can log in, and whether accounts are limited as they appear. */
export const accounts: Check = {
  about: 'accounts',
  async *examine(patient) {
    const services = await patient.open()
    const all = await services.accountKeeping.list()
    const enabled = all.filter(({ disabled }) => !disabled)
    if (enabled.length === 0) {
      const candidate = all.find(({ role }) => role === 'admin') ?? all[0]
      const fix = candidate ? `trunkline admin enable ${quoted(candidate.email)}` : ANOTHER
      return yield { kind: 'no_account', finding: 'no account can log in', fix }
    }
    yield* unenforced(patient, enabled)
    yield* withoutAdmin(patient, enabled)
    yield* withoutTenant(services, enabled)
  },
}

/** Whoever sets the setting, even to off, knows about it. */
function* unenforced({ settings, sources }: Patient, enabled: readonly Account[]): Iterable<Finding> {
  const limited = enabled.filter(({ role }) => role !== 'admin')
  const [first] = limited
  if (!first || settings['roles'] !== 'off' || sources['roles'] !== 'default') return
  const who =
    limited.length === 1
      ? `${first.email} is ${first.role}`
      : `${counted(limited.length, 'account')} are manager or supervisor`
  yield {
    kind: 'roles_off',
    finding: `${who}, but roles are not enforced: every role may do everything (set roles = off to confirm that)`,
    fix: 'export TRUNKLINE_ROLES=enforced',
  }
}

function* withoutAdmin({ settings }: Patient, enabled: readonly Account[]): Iterable<Finding> {
  const ofAll = enabled.filter(({ tenantId }) => tenantId === null)
  if (settings['roles'] !== 'enforced' || ofAll.some(({ role }) => role === 'admin')) return
  const [first] = ofAll
  yield {
    kind: 'no_admin',
    finding: 'roles are enforced, and no account that can log in is an admin of all tenants',
    fix: first
      ? `trunkline admin role ${quoted(first.email)} admin`
      : 'trunkline admin create another@example.com --random-password',
  }
}

async function* withoutTenant({ records }: Services, enabled: readonly Account[]): AsyncIterable<Finding> {
  for (const { email, tenantId } of enabled)
    if (tenantId !== null && !(await records.find(tenants, tenantId)))
      yield {
        kind: 'account_tenant',
        finding: `${email} is tied to tenant ${tenantId}, which was deleted: it sees nothing`,
        fix: `trunkline admin delete ${quoted(email)} --yes`,
      }
}
