import assert from 'node:assert/strict'
import { rates } from '../../../core/resources/rates.ts'
import { insert } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'

export const ratedPrefixesContract = contract('prefixes with a rate', ['ratedPrefixes', 'records'])
const { behaviour } = ratedPrefixesContract

behaviour('are those of the active rates of one tenant, as they are written', async ({ ratedPrefixes, records }) => {
  const { id: acme } = await insert(records, 'tenants')
  const { id: beta } = await insert(records, 'tenants')
  assert.deepEqual(await ratedPrefixes.of(acme), [])
  const { id } = await insert(records, 'rates', { tenant_id: acme, prefix: '380' })
  await insert(records, 'rates', { tenant_id: acme, prefix: '+49' })
  await insert(records, 'rates', { tenant_id: acme, prefix: '48', status: 'disabled' })
  await insert(records, 'rates', { tenant_id: beta, prefix: '1' })
  assert.deepEqual([...(await ratedPrefixes.of(acme))].sort(), ['+49', '380'])
  await records.update(rates, id, { status: 'Disabled' })
  assert.deepEqual(await ratedPrefixes.of(acme), ['+49'])
  assert.deepEqual(await ratedPrefixes.of(beta + 1), [])
})
