import { after, before } from 'node:test'
import { startWorld, type World } from '../data/records.ts'
import { type FakeGateway, startGateway } from './gateway.ts'

/** Registers a world for the tests of a file, and one gateway to send through. */
export function gatewayPlace() {
  let world: World
  let gateway: FakeGateway
  before(async () => {
    world = await startWorld()
    gateway = await startGateway()
  })
  after(async () => {
    await world.close()
    await gateway.close()
  })
  return {
    get world() {
      return world
    },
    get gateway() {
      return gateway
    },
  }
}
