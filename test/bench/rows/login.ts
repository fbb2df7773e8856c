import { alternate, milliseconds, times } from '../figures.ts'
import { load } from '../load.ts'
import { ADMIN, type Server } from '../servers.ts'
import { serving } from './requests.ts'
import type { Row } from './row.ts'

export const login: Row = {
  name: 'login',
  run: bench =>
    serving(bench, async (daemon, baseline) => {
      const { seconds, folder } = bench
      const p50 = async ({ url }: Server, path: string): Promise<number> => {
        const headers = { 'content-type': 'application/json' }
        const requests = [{ path, method: 'POST' as const, headers, body: JSON.stringify(ADMIN) }]
        return (await load({ url, requests, seconds, connections: 1, folder })).p50
      }
      const hashes = (): Promise<number> => p50(baseline, '/hash')
      const logins = (): Promise<number> => p50(daemon, '/api/admin/login')
      await hashes()
      await logins()
      const found = await alternate(bench, hashes, logins)
      const ratio = found.baseline / found.ours
      return [
        {
          what: 'login, against one argon2id hash over HTTP',
          baseline: milliseconds(found.baseline),
          ours: milliseconds(found.ours),
          ratio: times(ratio),
          goal: '≥ 0.9 ×',
          met: ratio >= 0.9,
        },
      ]
    }),
}
