import type { Role } from '../../../core/ports/accounts.ts'
import type { Answer, TestService } from './app.ts'
import { login, sessionOf } from './sessions.ts'

let count = 0

/** A new account of that role, logged in: how it asks. */
export async function signedIn(service: TestService, role: Role, tenantId?: number) {
  const email = `${role}${++count}@example.com`
  const password = 'correct horse'
  await service.trunkline.accountKeeping.create({ email, password, role, tenantId })
  const session = sessionOf(await login(service, { email, password }))
  return (method: string, path: string, json?: unknown): Promise<Answer> =>
    service.request(method, path, { session, ...(json === undefined ? {} : { json }) })
}
