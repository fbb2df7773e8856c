import { Agent } from 'node:http'
import fc from 'fast-check'
import { type ResponseChecker, responseChecker } from '../../support/http/responses.ts'
import { type Exchange, exchange, exchangeOf, knownIds, type Outcome } from '../exchange.ts'
import type { Kind } from '../kind.ts'
import { staysHere } from '../values.ts'
import { daemonOf, type World } from '../world.ts'
import { type FuzzRequest, requestsFrom } from './made-requests.ts'

const AT_ONCE = 4
/** One mistake appears in many requests. */
const MANY = 20

const shortened = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text)

function report(sent: Exchange, outcome: Outcome, problem: string): string {
  const { method, path, headers, body } = sent
  const answer = 'failure' in outcome ? outcome.failure : `${outcome.status} ${shortened(outcome.text, 400)}`
  return `${problem}\n  ${method} ${path} ${JSON.stringify(headers)}\n  ${shortened(body ?? '', 600)}\n  → ${answer}`
}

/** What is wrong with an outcome; null if nothing is. */
function problemOf(sent: Exchange, outcome: Outcome, checker: ResponseChecker): string | null {
  // A body over the limit is answered before it is read, so sending it may fail.
  if ('failure' in outcome) return (sent.body?.length ?? 0) > 1024 * 1024 ? null : 'no answer came'
  return outcome.status >= 500 ? 'the service failed' : checker.problem(outcome)
}

export interface Requests extends Kind {
  /** How many answers there were of each status. */
  readonly statuses: Readonly<Record<string, number>>
}

/** Requests generated from the document, valid and broken; each answer is checked against it. */
export function requests(world: World): Requests {
  const { daemon, gateway, document, session } = world
  const checker = responseChecker(document)
  const made = requestsFrom(document, gateway.port)
  const known = knownIds()
  const statuses: Record<string, number> = {}

  const one = async (request: FuzzRequest, agent: Agent): Promise<string | null> => {
    const sent = exchangeOf(request, known, session)
    if (sent.body !== null && !staysHere(sent.body)) return null
    const outcome = await exchange(daemon.url, agent, sent)
    const status = 'failure' in outcome ? 'cut' : String(outcome.status)
    statuses[status] = (statuses[status] ?? 0) + 1
    const problem = problemOf(sent, outcome, checker)
    if (problem) return report(sent, outcome, problem)
    if (!('failure' in outcome)) known.learn(outcome)
    return null
  }
  return {
    name: 'requests',
    count: 600,
    // A record, its audit entry, and a change not yet indexed.
    rowsPerInput: 4,
    subject: daemonOf(world),
    statuses,
    play: async (seed, count) => {
      const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
      const batch = fc.sample(made, { seed, numRuns: count }).values()
      const problems: string[] = []
      const worker = async (): Promise<void> => {
        for (const request of batch) {
          if (!daemon.isAlive() || problems.length > MANY) return
          const problem = await one(request, agent)
          if (problem) problems.push(problem)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      agent.destroy()
      return problems
    },
  }
}
