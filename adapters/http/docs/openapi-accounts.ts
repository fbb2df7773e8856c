import { ROLES } from '../../../core/ports/accounts.ts'
import {
  accountChangeFields,
  newAccountFields,
  passwordFields,
} from '../../../core/use-cases/accounts/account-fields.ts'
import { JSON_TYPE, type Operation, type Parameter, success } from './openapi-operations.ts'
import { idSchema, inputSchema, objectOf, type Schema } from './openapi-schemas.ts'

const TAG = 'Accounts'

const text: Schema = { type: 'string' }
const moment: Schema = { type: 'string', format: 'date-time' }
const orNull = (type: string): Schema => ({ type: [type, 'null'] })

const identity: Readonly<Record<string, Schema>> = {
  id: idSchema,
  name: { type: 'string', examples: ['Carol'] },
  email: { type: 'string', examples: ['carol@example.com'] },
  role: { type: 'string', enum: [...ROLES], examples: ['manager'] },
  tenant_id: { ...orNull('integer'), description: 'The tenant whose records alone the account sees and changes.' },
}

const account = objectOf({ ...identity, disabled: { type: 'boolean' }, created_at: moment, tenant: orNull('string') })
const madeUp: Schema = {
  ...orNull('string'),
  description: 'The random password, shown only now; null for a given one.',
}
const session = objectOf({
  id: { type: 'string', description: 'Names the session; it is not its token.' },
  ...{ account_id: idSchema, name: text, email: text },
  origin: { ...orNull('string'), description: 'The address of the login.' },
  ...{ created_at: moment, expires_at: moment },
})
const ended = objectOf({ ended: { type: 'integer' } })

const ID: Parameter = { name: 'id', in: 'path', schema: idSchema, description: 'The id of one account.' }

/** Accounts and their sessions, by method and path. */
export const accountOperations: Readonly<Record<string, Operation>> = {
  'GET /api/console/accounts': {
    id: 'accountList',
    tag: TAG,
    summary: 'List the accounts',
    success: success(200, 'Accounts loaded.', { type: 'array', items: account }),
  },
  'POST /api/console/accounts': {
    id: 'accountCreate',
    tag: TAG,
    summary: 'Create an account',
    description: 'Without a password it gets a random one, which the answer shows.',
    body: { [JSON_TYPE]: inputSchema(newAccountFields, { whole: true }) },
    success: success(201, 'Account created.', objectOf({ ...identity, password: madeUp })),
    failures: [409],
  },
  'PATCH /api/console/accounts/:id': {
    id: 'accountChange',
    tag: TAG,
    summary: 'Change the name, role or tenant of an account, or disable it',
    description:
      'Disabling it ends its sessions. The only account that can log in stays, and while roles are enforced the only admin of all tenants.',
    parameters: [ID],
    body: { [JSON_TYPE]: inputSchema(accountChangeFields, { whole: false }) },
    success: success(200, 'Account changed.'),
    failures: [409],
  },
  'DELETE /api/console/accounts/:id': {
    id: 'accountDelete',
    tag: TAG,
    summary: 'Delete an account and its sessions',
    parameters: [ID],
    success: success(200, 'Account deleted.'),
    failures: [409],
  },
  'POST /api/console/accounts/:id/password': {
    id: 'accountPassword',
    tag: TAG,
    summary: 'Give an account a new password, and end its sessions',
    parameters: [ID],
    body: { [JSON_TYPE]: inputSchema(passwordFields, { whole: true }) },
    success: success(200, 'Password changed; the sessions of the account have ended.', objectOf({ password: madeUp })),
  },
  'DELETE /api/console/accounts/:id/sessions': {
    id: 'accountSessionsEnd',
    tag: TAG,
    summary: 'End the sessions of an account',
    parameters: [ID],
    success: { status: 200, description: 'Done.', content: { [JSON_TYPE]: objectOf({ message: text, data: ended }) } },
  },
  'GET /api/console/sessions': {
    id: 'sessionList',
    tag: TAG,
    summary: 'List the sessions, the latest first',
    success: success(200, 'Sessions loaded.', { type: 'array', items: session }),
  },
  'DELETE /api/console/sessions': {
    id: 'sessionsEnd',
    tag: TAG,
    summary: 'End every session, your own included',
    success: { status: 200, description: 'Done.', content: { [JSON_TYPE]: objectOf({ message: text, data: ended }) } },
  },
  'DELETE /api/console/sessions/:session': {
    id: 'sessionEnd',
    tag: TAG,
    summary: 'End one session',
    parameters: [{ name: 'session', in: 'path', schema: text, description: 'The id of the session.' }],
    success: success(200, 'Session ended.', ended),
  },
}
