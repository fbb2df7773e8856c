import { alternate, median, milliseconds, times } from '../figures.ts'
import { login as logIn } from '../servers.ts'
import { figure } from './list-all.ts'
import { serving } from './requests.ts'
import type { Row } from './row.ts'

const LOGINS = 9

export const login: Row = {
  name: 'login',
  run: bench =>
    serving(bench, async (daemon, baseline) => {
      const logins = async (): Promise<number> => {
        const spent: number[] = []
        for (let i = 0; i < LOGINS; i++) {
          const started = performance.now()
          await logIn(daemon.url)
          spent.push(performance.now() - started)
        }
        return median(spent)
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
