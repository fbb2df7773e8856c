import { alternate, milliseconds, times } from '../figures.ts'
import { load } from '../load.ts'
import { ADMIN } from '../servers.ts'
import { figure } from './list-all.ts'
import { serving } from './requests.ts'
import type { Row } from './row.ts'

export const login: Row = {
  name: 'login',
  run: bench =>
    serving(bench, async (daemon, baseline) => {
      const logins = async (): Promise<number> => {
        const headers = { 'content-type': 'application/json' }
        const requests = [{ path: '/api/admin/login', method: 'POST' as const, headers, body: JSON.stringify(ADMIN) }]
        return (await load({ url: daemon.url, requests, seconds: bench.seconds, connections: 1, folder: bench.folder }))
          .p50
      }
      await logins()
      const found = await alternate(bench.rounds, () => figure(baseline, '/hash'), logins)
      const ratio = found.baseline / found.ours
      return [
        {
          what: 'login, against one argon2id hash at the same parameters',
          baseline: milliseconds(found.baseline),
          ours: milliseconds(found.ours),
          ratio: times(ratio),
          goal: '≥ 0.9 ×',
          met: ratio >= 0.9,
        },
      ]
    }),
}
