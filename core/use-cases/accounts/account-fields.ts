import { ROLES } from '../../ports/accounts.ts'
import { boolean, refersTo, text } from '../../resources/field.ts'
import { rules } from '../../resources/values/text-rules.ts'
import { accountFields, newPassword } from './sign-in.ts'

const role = { rule: rules.oneOf(...ROLES), examples: ['manager'] }
const tenant = refersTo('tenants', 'keep', { optional: true })
/** Default: a random one. */
const password = text(1024, { ...newPassword, optional: true, secret: true })

/** The fields of a new account. */
export const newAccountFields = {
  email: accountFields.email,
  name: text(255, { optional: true, examples: ['Carol'] }),
  role: text(20, { ...role, optional: true }),
  tenant_id: tenant,
  password,
}

/** The fields of an account that can be changed. */
export const accountChangeFields = {
  name: text(255, { examples: ['Carol'] }),
  role: text(20, role),
  tenant_id: tenant,
  disabled: boolean(),
}

export const passwordFields = { password }
