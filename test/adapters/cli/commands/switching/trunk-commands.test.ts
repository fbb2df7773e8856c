import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, type Workplace, workplace } from '../../../../support/cli/cli.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
  await place.done('trunkline trunk create --name carrier-two --host 203.0.113.9 --transport tls --status active')
})
after(() => place.remove())

describe('trunks', () => {
  it('have default port, transport and number format', async () => {
    const [two, one] = await place.json('trunkline trunk list')
    assert.deepEqual([one.port, one.transport, one.number_form, one.registers], [5060, 'udp', 'e164', false])
    assert.deepEqual([two.name, two.transport, 'secret' in two, 'secret' in one], ['carrier-two', 'tls', false, false])
  })

  it('are refused if a switch could not use them', async () => {
    const wrong = [
      '--name a,b --host 203.0.113.9',
      '--name c --host sip:203.0.113.9',
      '--name d --host e.example.com --username "a;b"',
      '--name carrier-one --host e.example.com',
    ]
    for (const given of wrong)
      assert.equal((await place.run(`trunkline trunk create ${given} --status active`)).code, 65, given)
  })

  it('are imported from an export with their secrets; an export without secrets leaves those unchanged', async () => {
    const rows = await place.json('trunkline trunk export --format json --out -')
    assert.deepEqual(rows[0].secret, 'kW3-9fQm-Zt81')
    const file = `${place.folder}/trunks.json`
    await place.done(`trunkline trunk export --format json --out ${file}`)
    await place.done('trunkline trunk delete carrier-one --yes')
    await place.done(`trunkline trunk import ${file} --mode upsert`)
    assert.deepEqual(await place.json('trunkline trunk export --format json --out -'), [rows[1], rows[0]])
  })
})

describe('routes of calls', () => {
  it('are set, listed in order and removed, which the audit trail notes', async () => {
    await place.done('trunkline trunk route set carrier-one --tenant acme --prefix 380')
    await place.done('trunkline trunk route set carrier-two carrier-one --tenant acme --prefix +380')
    const [route, ...others] = await place.json('trunkline trunk route list')
    assert.deepEqual(
      [route.tenant, route.prefix, route.trunks, others],
      ['acme', '380', 'carrier-two, carrier-one', []],
    )
    await place.done(`trunkline trunk route remove ${route.id}`)
    assert.deepEqual(await place.json('trunkline trunk route list'), [])
    assert.equal((await place.run(`trunkline trunk route remove ${route.id}`)).code, 67)
    const noted = await place.json('trunkline audit list --resource trunk_routes')
    assert.deepEqual(
      noted.map(({ action, record_id }: { action: string; record_id: number }) => [action, record_id]),
      [
        ['delete', route.id],
        ['update', route.id],
        ['create', route.id],
      ],
    )
  })

  it('lose a deleted trunk, and remain even without any', async () => {
    await place.done('trunkline trunk create --name third --host 203.0.113.10 --status active')
    await place.done('trunkline trunk route set third carrier-two')
    await place.done('trunkline trunk route set third --prefix 44')
    await place.done('trunkline trunk delete third --yes')
    const routes = await place.json('trunkline trunk route list')
    assert.deepEqual(
      routes.map(({ prefix, trunks }: { prefix: string; trunks: string }) => [prefix, trunks]),
      [
        ['', 'carrier-two'],
        ['44', ''],
      ],
    )
  })
})
