import type { Role } from '../../../core/ports/accounts.ts'
import type { Answer, TestService } from './app.ts'
import { login, sessionOf } from './sessions.ts'

let count = 0

/** The Cookie header of a new account of that role, logged in. */
export async function sessionAs(service: TestService, role: Role, tenantId?: number) {
  const email = `${role}${++count}@example.com`
  const password = 'correct horse'
  await service.trunkline.accountKeeping.create({ email, password, role, tenantId })
  return sessionOf(await login(service, { email, password }))
}

/** A new account of that role, logged in: a function that sends its requests. */
export async function signedIn(service: TestService, role: Role, tenantId?: number) {
  const session = await sessionAs(service, role, tenantId)
  return (method: string, path: string, json?: unknown): Promise<Answer> =>
    service.request(method, path, { session, ...(json === undefined ? {} : { json }) })
}
