import { ADMIN, type Answer, startService, type TestService } from './app.ts'

export const login = (
  service: TestService,
  body: unknown = ADMIN,
  headers: Record<string, string> = {},
): Promise<Answer> => service.request('POST', '/api/admin/login', { json: body, headers })

export const cookieOf = ({ headers }: Answer): string => headers.getSetCookie().at(-1) ?? ''
export const sessionOf = (answer: Answer): string => cookieOf(answer).split(';')[0] ?? ''

/** The status of who-am-I: 200 with a live session, 401 without. */
export const me = async (service: TestService, session: string): Promise<number> =>
  (await service.request('GET', '/api/admin/me', { session })).status

/** Runs with a separate service and closes it in any case. */
export const serving =
  (test: (service: TestService) => Promise<void>, ...options: Parameters<typeof startService>) =>
  async () => {
    const service = await startService(...options)
    try {
      await test(service)
    } finally {
      await service.close()
    }
  }
