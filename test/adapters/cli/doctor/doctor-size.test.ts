import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Wiring } from '../../../../adapters/cli/program.ts'
import { furnish, missing, unbuilt, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { atTerminal } from '../../../support/cli/terminal.ts'
import { changed } from '../../../support/data/reader.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

/** Notes the resources whose records are read one by one. */
const noting =
  (listed: Set<string>) =>
  (wiring: Wiring): Wiring => ({
    ...wiring,
    open: async (...given) => {
      const services = await wiring.open(...given)
      const list: typeof services.records.list = (resource, options) => {
        if (!options.limit) listed.add(resource.name)
        return services.records.list(resource, options)
      }
      return { ...services, records: { ...services.records, list } }
    },
  })

describe('doctor in a large database', () => {
  it('reads no rates and no calls one by one', async () => {
    const listed = new Set<string>()
    await place.run('trunkline doctor', { wiring: noting(listed) })
    assert.deepEqual([...listed].sort(), ['dids', 'sms_gateways', 'tenants'])
  })

  it('names the newest of three with one key, pair by pair, and counts what it does not show', async () => {
    const copies = async (prefix: string, count: number): Promise<void> => {
      await changed(
        place.db,
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         INSERT INTO rates (tenant_id, prefix, destination, cost_per_minute, billing_increment, status, created_at, updated_at)
         SELECT tenant_id, '${prefix}', destination, cost_per_minute, billing_increment, 'active', created_at, updated_at FROM n, rates WHERE rates.id = 1`,
      )
    }
    await copies('1', 2)
    await copies('380', 2)
    await copies('44', 10)
    const findings: { kind: string; finding: string; fix: string }[] = JSON.parse(
      (await place.run('trunkline doctor --output json')).stdout,
    )
    const same = findings.filter(({ kind }) => kind === 'same_key')
    assert.equal(same.length, 11)
    assert.deepEqual(
      same.slice(-3).map(({ finding, fix }) => [finding, fix]),
      [
        ['rates 15 and 6 have the same tenant_id and prefix (44)', 'trunkline rate delete id:6'],
        ['rates 5 and 4 have the same tenant_id and prefix (380)', 'trunkline rate delete id:4'],
        ['2 more rates have the same tenant_id and prefix as another', 'trunkline doctor'],
      ],
    )
  })

  it('shows its progress in a terminal, and clears it', { skip: unbuilt || missing('python3') }, async () => {
    const screen = atTerminal(place, ['doctor'])
    assert.equal(await screen.ended(), 1)
    assert.match(screen.printed(), /\d+ of \d+: every page, key and reference of the database/)
    assert.match(screen.raw(), /\r\x1b\[K\x1b\[31mfound/)
  })

  it('shows no progress with --quiet, nor in a pipe', {
    skip: unbuilt || missing('python3'),
  }, async () => {
    const screen = atTerminal(place, ['doctor', '--quiet'])
    await screen.ended()
    assert.doesNotMatch(screen.printed(), /\d of \d/)
    assert.equal((await place.run('trunkline doctor')).stderr, '')
  })
})
