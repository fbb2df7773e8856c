import fc from 'fast-check'
import { MESSAGE } from '../../support/messaging/gateway.ts'
import type { Kind } from '../kind.ts'
import { mutated } from '../mutate.ts'
import { anyValue, toText } from '../values.ts'
import { daemonOf, type World } from '../world.ts'

const AT_ONCE = 4
/** The messages that receipts of a round may refer to. */
const MESSAGES = 2

const ids = fc.constantFrom('gw-1', 'gw-2', '12345678901234', '07033084-5cfd-4812-90a4-e4d24ffb6e3d', 'unknown', '')
const names = fc.constantFrom('message_id', 'id', 'messageId', 'status', 'message_status', '__proto__', 'done_date')
const members = fc.array(fc.tuple(names, fc.oneof(ids, fc.constantFrom('DELIVRD', 'UNDELIV', '1', '%', '"'))), {
  minLength: 1,
  maxLength: 6,
})

const BOUNDARY = 'x'

const bodies: fc.Arbitrary<{ readonly type: string; readonly body: string }> = fc
  .oneof(
    fc.tuple(
      fc.constant('application/json'),
      members.map(pairs => JSON.stringify(Object.fromEntries(pairs))),
    ),
    fc.tuple(fc.constant('application/json'), fc.record({ id: ids, status: anyValue, more: anyValue }).map(toText)),
    fc.tuple(
      fc.constant('application/x-www-form-urlencoded'),
      members.map(pairs => new URLSearchParams(pairs).toString()),
    ),
    fc.tuple(
      fc.constant(`multipart/form-data; boundary=${BOUNDARY}`),
      members.map(pairs => `${pairs.map(([name, value]) => partOf(name, value)).join('')}--${BOUNDARY}--\r\n`),
    ),
  )
  .chain(([type, body]) => mutated(fc.constant(body)).map(text => ({ type, body: text })))

function partOf(name: string, value: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
}

const receipts = fc.record({
  content: bodies,
  path: fc.constantFrom('/webhooks/gateway', '/api/sms-gateways'),
  query: fc.option(mutated(members.map(pairs => new URLSearchParams(pairs).toString())), { freq: 3, nil: '' }),
})

type Received = typeof receipts extends fc.Arbitrary<infer T> ? T : never

/** Receipts, valid and broken, of a gateway that has sent messages: each is answered with 200. */
export function receiptsOf(world: World): Kind {
  let gateway: Promise<{ readonly id: number }> | undefined
  const made = async (): Promise<number> => {
    const { port } = world.gateway
    gateway ??= world.post('/api/sms-gateways', {
      ...{ name: 'Receipts', provider_type: 'jasmin', server_host: '127.0.0.1', server_port: port },
      ...{ username: 'u', password: 'p', is_active: true },
    })
    const { id } = await gateway
    for (let n = 0; n < MESSAGES; n++) await world.post(`/api/sms-gateways/${id}/send`, MESSAGE)
    return id
  }
  const one = async (id: number, { content, path, query }: Received): Promise<string | null> => {
    const target = `${world.daemon.url}${path}/${id}/dlr?${encodeURI(query.toWellFormed()).replaceAll('#', '%23')}`
    const headers = { 'content-type': content.type }
    const { status } = await fetch(target, { method: 'POST', headers, body: content.body })
    return status === 200 ? null : `answered with ${status}\n  POST ${target}\n  ${content.body.slice(0, 600)}`
  }
  return {
    name: 'receipts',
    count: 200,
    // One that is parked.
    rowsPerInput: 1,
    subject: daemonOf(world),
    play: async (seed, count) => {
      const id = await made()
      const problems: string[] = []
      const batch = fc.sample(receipts, { seed, numRuns: count }).values()
      const worker = async (): Promise<void> => {
        for (const receipt of batch) {
          const problem = await one(id, receipt)
          if (problem) problems.push(problem)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      return problems
    },
  }
}
