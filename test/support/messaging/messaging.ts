import assert from 'node:assert/strict'
import { nodeDigests } from '../../../adapters/system/digests.ts'
import { randomIds } from '../../../adapters/system/ids.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../core/json.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Value } from '../../../core/resources/field.ts'
import { profilesWith } from '../../../core/sms/profiles/collection.ts'
import type { GatewayReply } from '../../../core/sms/reply.ts'
import type { Submission } from '../../../core/sms/submission.ts'
import { messaging } from '../../../core/use-cases/messaging/messaging.ts'
import type { IsTokenValid } from '../../../core/use-cases/messaging/receiving.ts'
import { fakeStorage } from '../../fakes/storage.ts'
import { manualClock } from '../clock.ts'

export const GATEWAY = {
  name: 'Local',
  provider_type: 'test',
  server_host: 'sms.example.com',
  server_port: 8080,
  api_path: 'send',
  username: 'user',
  password: 'secret word',
  default_sender_id: null,
  callback_token: null,
  is_active: true,
  use_ssl: false,
  notes: null,
  meta: null,
}
export const BODY = { to_number: '+380501234567', from_sender: 'ACME', message: 'Hello' }

export function objectOf(json: string): JsonObject {
  const value = parseJson(json)
  assert.ok(isJsonObject(value))
  return value
}

/** The use case over the fake storage, and a gateway with configurable answers. */
export async function world(changes: Record<string, Value> = {}) {
  const clock = manualClock()
  const storage = fakeStorage(clock)
  const gateways = resourceNamed('sms_gateways')
  const submissions: Submission[] = []
  let uuids = 0
  let answer: (submission: Submission) => GatewayReply | Promise<GatewayReply> = () => ({
    kind: 'answered',
    status: 200,
    body: '{"message_id":"m1"}',
  })
  const gateway = objectOf(await storage.records.insert(gateways, { ...GATEWAY, ...changes }))
  const use = messaging({
    records: storage.records,
    messages: storage.messages,
    client: {
      submit: async submission => {
        submissions.push(submission)
        return answer(submission)
      },
    },
    routes: storage.smsRoutes,
    profiles: profilesWith(() => []),
    digests: nodeDigests(),
    clock,
    ids: { ...randomIds(), uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}` },
    settings: { baseUrl: 'https://pbx.example.com', gatewayTimeout: 15, parkedFor: 24 * 3600 },
  })
  const stored = async (): Promise<JsonObject[]> => {
    const list: JsonObject[] = []
    for await (const page of storage.records.list(resourceNamed('sms_messages'), { view: 'plain' }))
      list.push(...(JSON.parse(`[${page.json}]`) as JsonObject[]))
    return list
  }
  return {
    clock,
    storage,
    submissions,
    use,
    stored,
    /** Accepts a receipt with these members; any token is right. */
    receive: (id: number | null, members: JsonObject, isTokenValid: IsTokenValid = () => true) =>
      use.receipt(id, {
        sender: '192.0.2.1',
        isTokenValid,
        read: async () => ({ query: {}, body: members, size: JSON.stringify(members).length }),
        head: () => ({ method: 'POST', url: 'https://pbx.example.com/api/sms-gateways/1/dlr', headers: {} }),
        bytes: async () => new TextEncoder().encode(JSON.stringify(members)),
      }),
    gatewayId: Number(gateway.id),
    send: async (body: unknown = BODY) => objectOf(await use.send(Number(gateway.id), body)),
    answerWith: (next: typeof answer) => {
      answer = next
    },
  }
}
