import assert from 'node:assert/strict'
import { AppError } from '../../../core/errors.ts'
import type { Records } from '../../../core/ports/records.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Row } from '../../../core/resources/resource.ts'
import { insert, row, type Stored } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'

export const withinContract = contract('records of one tenant', ['records'])
const { behaviour } = withinContract

/** Two tenants with an extension, a queue and a DID each. */
async function furnished(records: Records) {
  const tenant = async () => {
    const { id: tenant_id } = await insert(records, 'tenants')
    const idOf = async (name: Stored) => (await insert(records, name, { tenant_id })).id
    return { tenant_id, extension: await idOf('extensions'), queue: await idOf('queues'), did: await idOf('dids') }
  }
  return { acme: await tenant(), beta: await tenant() }
}

/** Why a change is refused: the rule, field and sentence of each error. */
async function refusal(change: Promise<unknown>): Promise<unknown> {
  try {
    await change
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'invalid', String(error))
    return (error.details.errors ?? []).map(({ rule, field, sentence }) => [rule, field, sentence])
  }
  return assert.fail('the change was not refused')
}

const adding = (records: Records, name: Stored, values: Row) => records.insert(resourceNamed(name), row(name, values))
const moving = (records: Records, name: Stored, id: number, tenant_id: number) =>
  records.update(resourceNamed(name), id, { tenant_id })

behaviour('an agent is of one tenant with its queue', async ({ records }) => {
  const { acme, beta } = await furnished(records)
  const mixed = { queue_id: acme.queue, extension_id: beta.extension }
  const error = [
    'foreign',
    'extension_id',
    'The selected extension id belongs to a different tenant than the queue id.',
  ]
  assert.deepEqual(await refusal(adding(records, 'agents', mixed)), [error])
  const { id } = await insert(records, 'agents', { queue_id: acme.queue, extension_id: acme.extension })
  const agents = resourceNamed('agents')
  assert.deepEqual(await refusal(records.update(agents, id, { extension_id: beta.extension })), [error])
  await records.update(agents, id, { penalty: 3 })
})

behaviour('a route is of one tenant with its DID, to whatever it leads', async ({ records }) => {
  const { acme, beta } = await furnished(records)
  const error = ['foreign', 'target_id', 'The selected target id belongs to a different tenant than the did id.']
  for (const target_type of ['extension', 'queue'] as const) {
    const mixed = { did_id: acme.did, target_type, target_id: beta[target_type] }
    assert.deepEqual(await refusal(adding(records, 'routes', mixed)), [error])
    await insert(records, 'routes', { ...mixed, target_id: acme[target_type] })
  }
})

const HELD = {
  extensions: 'The tenant id field must stay the same while agents or routes refer to the extension.',
  queues: 'The tenant id field must stay the same while agents or routes refer to the queue.',
  dids: 'The tenant id field must stay the same while routes refer to the DID.',
}

behaviour('what agents and routes join to its tenant does not move to another', async ({ records }) => {
  const { acme, beta } = await furnished(records)
  const agent = await insert(records, 'agents', { queue_id: acme.queue, extension_id: acme.extension })
  for (const [name, id] of [
    ['extensions', acme.extension],
    ['queues', acme.queue],
  ] as const) {
    assert.deepEqual(await refusal(moving(records, name, id, beta.tenant_id)), [['joined', 'tenant_id', HELD[name]]])
    await moving(records, name, id, acme.tenant_id)
  }
  await records.remove(resourceNamed('agents'), agent.id, { cascade: false })
  for (const [kind, name] of [
    ['extension', 'extensions'],
    ['queue', 'queues'],
  ] as const) {
    const values = { did_id: acme.did, target_type: kind, target_id: acme[kind] }
    const route = await insert(records, 'routes', values)
    for (const [table, id] of [
      [name, acme[kind]],
      ['dids', acme.did],
    ] as const)
      assert.deepEqual(await refusal(moving(records, table, id, beta.tenant_id)), [
        ['joined', 'tenant_id', HELD[table]],
      ])
    await records.remove(resourceNamed('routes'), route.id, { cascade: false })
    await moving(records, name, acme[kind], beta.tenant_id)
  }
  await moving(records, 'dids', acme.did, beta.tenant_id)
})

behaviour('a device and the calls of an extension keep it at no tenant', async ({ records }) => {
  const { acme, beta } = await furnished(records)
  await insert(records, 'devices', { extension_id: acme.extension })
  await insert(records, 'cdrs', { tenant_id: acme.tenant_id, extension_id: acme.extension })
  await moving(records, 'extensions', acme.extension, beta.tenant_id)
})

behaviour('a call may be of an extension of another tenant, as the API says', async ({ records }) => {
  const { acme, beta } = await furnished(records)
  await insert(records, 'cdrs', { tenant_id: acme.tenant_id, extension_id: beta.extension })
})
