import assert from 'node:assert/strict'
import { after, before, beforeEach } from 'node:test'
import { startWorld, type World } from '../data/records.ts'
import { addGateway, type FakeGateway, MESSAGE, startGateway } from './gateway.ts'

/** Registers a world for the tests of a file, with a gateway of its own for each, and returns what sends and receipts need. */
export function smsPlace(settings: Parameters<typeof startWorld>[0] = {}) {
  let world: World
  let gateway: FakeGateway
  let id: number
  before(async () => {
    world = await startWorld(settings)
  })
  beforeEach(async () => {
    await gateway?.close()
    gateway = await startGateway()
    id = await addGateway(world.service, world.session, gateway)
  })
  after(async () => {
    await world.close()
    await gateway.close()
  })
  const routes = (gatewayId: number | string = id) => [
    `/api/sms-gateways/${gatewayId}/dlr`,
    `/webhooks/gateway/${gatewayId}/dlr`,
  ]
  const post = (path: string, body: string, type = 'application/json') =>
    world.service.request('POST', path, { body, headers: { 'content-type': type } })
  const send = (members: object = {}, gatewayId: number | string = id) =>
    world.send('POST', `/api/sms-gateways/${gatewayId}/send`, { ...MESSAGE, ...members })
  return {
    get world() {
      return world
    },
    get gateway() {
      return gateway
    },
    /** The id of the gateway. */
    get id() {
      return id
    },
    send,
    /** Sends a message, which must be processed, and returns its record. */
    processed: async (members: object = {}, gatewayId: number | string = id) => {
      const { status, json } = await send(members, gatewayId)
      assert.equal(status, 200)
      assert.equal(json.message, 'SMS request processed.')
      return json.data
    },
    messages: async (gatewayId = id) => (await world.get(`/api/sms-gateways/${gatewayId}/messages`)).json,
    routes,
    post,
    receipt: (members: object, gatewayId = id) => post(routes(gatewayId)[0] ?? '', JSON.stringify(members)),
    /** Sends a message that the gateway gives that id. */
    sent: async (externalId: string, gatewayId = id) => {
      gateway.answerWith(200, JSON.stringify({ id: externalId, kept: 'from the reply' }))
      return (await world.send('POST', `/api/sms-gateways/${gatewayId}/send`, MESSAGE)).json.data
    },
    stored: async (gatewayId = id) => (await world.get(`/api/sms-gateways/${gatewayId}/messages`)).json.data[0],
  }
}
