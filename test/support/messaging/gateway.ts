import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestService } from '../http/app.ts'

export interface Submitted {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The raw body. */
  readonly text: string
}

type Reply = (response: ServerResponse, submitted: Submitted) => void | Promise<void>

export interface FakeGateway {
  readonly host: string
  readonly port: number
  readonly url: string
  /** The requests it received, in order. */
  readonly requests: Submitted[]
  /** Answers from now on with this function. */
  answer(reply: Reply): void
  /** Answers from now on with this status and body. */
  answerWith(status: number, body: string, contentType?: string): void
  /** Resolves with the next submission once it is read, before it is answered. */
  next(): Promise<Submitted>
  close(): Promise<void>
}

/** An SMS gateway on a free port that records its requests. */
export async function startGateway(): Promise<FakeGateway> {
  const requests: Submitted[] = []
  const waiting: ((submitted: Submitted) => void)[] = []
  let accepted = 0
  let reply: Reply = response => json(response, 200, { message_id: `gw-${++accepted}` })
  const server = createServer(async (request, response) => {
    const text = await bodyOf(request)
    const submitted = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, text }
    requests.push(submitted)
    for (const resolve of waiting.splice(0)) resolve(submitted)
    await reply(response, submitted)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    host: '127.0.0.1',
    port,
    url: `http://127.0.0.1:${port}/send`,
    requests,
    answer: given => {
      reply = given
    },
    answerWith: (status, body, contentType = 'application/json') => {
      reply = response => void response.writeHead(status, { 'content-type': contentType }).end(body)
    },
    next: () => new Promise(resolve => waiting.push(resolve)),
    close: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

export const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString('utf8')
}

/** Configures a gateway record that points at the fake one and returns its id. */
export async function addGateway(
  service: TestService,
  session: string,
  gateway: Pick<FakeGateway, 'host' | 'port'>,
  members: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const json = {
    name: 'Test gateway',
    provider_type: 'test',
    server_host: gateway.host,
    server_port: gateway.port,
    username: 'user',
    password: 'pa55-w0rd-of-gateway',
    ...members,
  }
  const answer = await service.request('POST', '/api/sms-gateways', { json, session })
  if (answer.status !== 201) throw new Error(`The gateway was not created: ${answer.text}`)
  return answer.json.data.id
}

export const MESSAGE = { to_number: '+380501234567', from_sender: 'ACME', message: 'Hello' }

/** A promise and the function that resolves it. */
export function signal<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>(keep => {
    resolve = keep
  })
  return { promise, resolve }
}
