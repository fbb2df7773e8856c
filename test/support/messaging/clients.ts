import { after, before } from 'node:test'
import { type HttpGatewayClient, httpGatewayClient } from '../../../adapters/gateway/client.ts'
import type { GatewayReply } from '../../../core/sms/reply.ts'
import type { Submission } from '../../../core/sms/submission.ts'
import { type FakeGateway, startGateway } from './gateway.ts'
import { submissionTo } from './submissions.ts'

export const MESSAGE_BODY = '{"to":"+380501234567","from":"ACME","content":"Hello"}'
const SUBMISSION = { basic: { username: 'user', password: 'word' }, body: MESSAGE_BODY }

/** Registers a gateway for the tests of a file, and two clients: one waits ten seconds for a reply, the hasty one 0.2. */
export function clientPlace() {
  let gateway: FakeGateway
  let client: HttpGatewayClient
  let hasty: HttpGatewayClient
  before(async () => {
    gateway = await startGateway()
    client = httpGatewayClient({ timeoutSeconds: 10 })
    hasty = httpGatewayClient({ timeoutSeconds: 0.2 })
  })
  after(async () => {
    await client.close()
    await hasty.close()
    await gateway.close()
  })
  return {
    get gateway() {
      return gateway
    },
    get client() {
      return client
    },
    get hasty() {
      return hasty
    },
    /** Sends a message to the gateway, unless `members` name another. */
    submit: (members: Partial<Submission> = {}, through = client): Promise<GatewayReply> =>
      through.submit(submissionTo(gateway.url, { ...SUBMISSION, ...members })),
  }
}
