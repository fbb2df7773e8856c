import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { exposedResources, resources } from '../../../../core/resources/all.ts'
import { collectionOf } from '../../../../core/resources/resource.ts'
import { furnished } from '../../../support/data/furnished.ts'
import { startWorld, type World } from '../../../support/data/records.ts'
import { signedIn } from '../../../support/http/accounts.ts'
import { temporaryFolder } from '../../../support/http/app.ts'
import { withJobs } from '../../../support/http/jobs.ts'
import { pathsOf, routesOf } from '../../../support/http/routes.ts'
import { addGateway, type FakeGateway, MESSAGE, startGateway } from '../../../support/messaging/gateway.ts'

/** Contained in every record of the other tenant, where a field allows any text. */
const THEIRS = 'of-the-others'
const MARKS = {
  display_name: THEIRS,
  name: THEIRS,
  destination: THEIRS,
  provider: THEIRS,
  disposition: THEIRS,
  model: THEIRS,
}
const GATEWAYS = 'sms_gateways'
/** Shared records that accounts of all tenants see. */
const OF_ALL = /trunks|audit|quarantine|console\/accounts|console\/sessions|sms-routes(?!\/send)/

const folder = temporaryFolder()
let world: World
let gateway: FakeGateway
let gatewayId: number
let other: number
let ours: Record<string, number>
let theirs: Record<string, number>
let admin: Awaited<ReturnType<typeof signedIn>>
/** Accounts of the tenant: with roles off they count as admins. */
let ask: typeof admin

before(async () => {
  world = await startWorld({ db: join(folder.path, 'access.db') })
  const { service, references } = world
  gateway = await startGateway()
  admin = await signedIn(service, 'admin')
  other = (await world.create('tenants', { name: THEIRS })).id
  ours = await furnished(world, references.tenant_id, 'secret')
  theirs = await furnished(world, other, 'secret', MARKS)
  await admin('PATCH', `/api/sms-gateways/${theirs[GATEWAYS]}`, { name: 'Shared' })
  gatewayId = await addGateway(service, await service.login(), gateway, {
    callback_token: 't0ken',
    meta: { dlr_token_in: 'query:token' },
  })
  const sent = await admin('POST', `/api/sms-gateways/${gatewayId}/send`, {
    ...MESSAGE,
    message: THEIRS,
    tenant_id: other,
  })
  theirs['sms_messages'] = sent.json.data.id
  await admin('POST', `/api/sms-gateways/${gatewayId}/send`, { ...MESSAGE, message: THEIRS })
  ask = await signedIn(service, 'supervisor', references.tenant_id)
  const own = await ask('POST', `/api/sms-gateways/${gatewayId}/send`, MESSAGE)
  ours['sms_messages'] = own.json.data.id
  for (const ids of [ours, theirs]) ids[GATEWAYS] = gatewayId
  Object.assign(ours, await withJobs(ask))
  Object.assign(theirs, await withJobs(admin, THEIRS))
})
after(async () => {
  await gateway.close()
  await world.close()
  folder.remove()
})

const routes = () => routesOf(world.service).filter(({ session }) => session === 'required')
const our = (name: string): number => ours[name] ?? 1
const their = (name: string): number => theirs[name] ?? 1
const ofTenant = resources.filter(({ name }) => ![GATEWAYS, 'trunks'].includes(name))
/** All stored records of every kind, as an admin sees them. */
const everything = async (): Promise<string> => {
  const lists = await Promise.all(
    resources.map(async each => (await admin('GET', `/api/console/records/${collectionOf(each)}?limit=1000`)).text),
  )
  return lists.join('\n')
}

describe('an account of one tenant', () => {
  it('reads what belongs to it by every route, and of others nothing', async () => {
    for (const route of routes())
      for (const path of route.methods.GET ? pathsOf(route, our) : []) {
        const { status, text } = await ask('GET', path)
        assert.equal(status, OF_ALL.test(path) ? 403 : 200, path)
        assert.doesNotMatch(text, new RegExp(THEIRS), path)
      }
  })

  it('finds in each list only its own records, whatever the filters', async () => {
    for (const resource of ofTenant) {
      const path = `/api/console/records/${collectionOf(resource)}`
      const ids = async (query: string) => {
        const { json, status } = await ask('GET', `${path}?limit=1000${query}`)
        assert.equal(status, 200, `${path}${query}`)
        return json.data.map(({ id }: { id: number }) => id)
      }
      const all = await ids('')
      assert.ok(all.includes(our(resource.name)) && !all.includes(their(resource.name)), path)
      for (const query of [
        `&tenant=${other}`,
        `&search=${THEIRS}`,
        ...('tenant_id' in resource.fields ? [`&filter[tenant_id]=${other}`] : []),
      ]) {
        const isNarrowed = !query.startsWith('&search') || resource.search.length > 0
        if (isNarrowed && !(query.startsWith('&tenant') && resource.name === 'tenants'))
          assert.deepEqual(await ids(query), [], `${path} ${query}`)
        assert.ok(!(await ids(query)).includes(their(resource.name)))
      }
      const { json } = await ask('GET', `${path}/count`)
      assert.equal(json.data.count, all.length, path)
      const [one] =
        (await ask('GET', `${path}/count?tenant=${other}`)).json.data.count === 0
          ? [true]
          : [resource.name === 'tenants']
      assert.ok(one, path)
    }
    for (const { path, name } of exposedResources.filter(each => each.name !== 'trunks')) {
      const records: { id: number; tenant_id?: number }[] = (await ask('GET', `/api/${path}`)).json.data
      assert.ok(
        records.some(({ id }) => id === our(name)),
        path ?? '',
      )
      for (const { tenant_id = world.references.tenant_id } of records)
        assert.equal(tenant_id, world.references.tenant_id)
    }
  })

  it("does not learn the time of other tenants' records by paging after them", async () => {
    for (const path of ['/api/cdrs', '/api/console/records/cdrs']) {
      const { status, json } = await ask('GET', `${path}?limit=5&after=${their('cdrs')}`)
      assert.deepEqual([status, json.errors], [422, { after: ['The selected after is invalid.'] }])
    }
    assert.equal((await ask('GET', `/api/cdrs?limit=5&after=${our('cdrs')}`)).status, 200)
  })

  it('finds nothing by the ids of others, and changes nothing', async () => {
    const before = await everything()
    for (const route of routes())
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)
        for (const path of route.path.includes(':id') && route.methods[method] ? pathsOf(route, their) : []) {
          if (path.includes('sms-gateways')) continue
          const { status, text } = await ask(method, path, method === 'GET' ? undefined : {})
          const isNeverChanged = path.includes('sms-messages') && method === 'PATCH'
          const isOfTenants = path.includes('tenants') && ['DELETE', 'POST'].includes(method)
          const isRefused = OF_ALL.test(path) || isOfTenants
          const refused = isRefused ? 403 : isNeverChanged ? 422 : 404
          assert.equal(status, refused, `${method} ${path} ${text}`)
        }
    assert.equal(await everything(), before)
  })

  it('makes and changes its own records, and points to no record of others', async () => {
    for (const resource of resources) {
      const path = `/api/console/records/${collectionOf(resource)}`
      for (const [field, { references }] of Object.entries(resource.fields)) {
        if (!references || [GATEWAYS, 'sms_messages'].includes(resource.name)) continue
        const to = typeof references.to === 'string' ? references.to : references.to['extension']
        const own = Object.fromEntries(
          Object.entries(resource.fields).flatMap(([name, each]) =>
            typeof each.references?.to === 'string' ? [[name, our(each.references.to)]] : [],
          ),
        )
        const foreign = { ...world.body(resource), ...own, [field]: their(to ?? '') }
        for (const [method, at] of [
          ['POST', path],
          ['PATCH', `${path}/${our(resource.name)}`],
        ] as const) {
          const { status, json } = await ask(method, at, foreign)
          assert.deepEqual(
            [status, json.errors?.[field]],
            [422, [`The selected ${field.replaceAll('_', ' ')} is invalid.`]],
            `${at} ${field}`,
          )
        }
      }
    }
    for (const resource of exposedResources.filter(({ fields }) => 'tenant_id' in fields)) {
      const made = await ask('POST', `/api/${resource.path}`, world.body(resource))
      assert.equal(made.status, 201, made.text)
      const body = { ...world.body(resource), status: 'other' }
      assert.equal((await ask('PUT', `/api/${resource.path}/${made.json.data.id}`, body)).status, 200)
      assert.equal((await ask('DELETE', `/api/${resource.path}/${made.json.data.id}`)).status, 200)
    }
  })

  it('has no access to shared records, and cannot change tenants', async () => {
    const tenant = `/api/tenants/${world.references.tenant_id}`
    for (const [method, path] of [
      ['POST', '/api/tenants'],
      ['DELETE', tenant],
      ['POST', '/api/sms-gateways'],
      ['PATCH', `/api/sms-gateways/${gatewayId}`],
      ['DELETE', `/api/sms-gateways/${gatewayId}`],
      ['POST', `/api/console/records/sms-gateways/${gatewayId}/secrets`],
    ] as const) {
      const { status, json } = await ask(method, path, {})
      assert.equal(status, 403, `${method} ${path}`)
      assert.match(json.message, /^An account of one tenant may not /)
    }
    const { data } = (await ask('GET', tenant)).json
    assert.equal((await ask('PUT', tenant, { ...data, name: 'Ours', timezone: 'UTC' })).status, 200)
    for (const changed of [
      { status: 'suspended' },
      { max_extensions: 5 },
      { slug: 'x' },
      { settings: { limits: {} } },
    ]) {
      const { status, json } = await ask('PUT', tenant, { ...data, ...changed })
      assert.equal(status, 403, JSON.stringify(changed))
      assert.match(json.message, /limits and identity/)
    }
  })

  it('sees the fields of a gateway needed for sending, and nothing through hidden ones', async () => {
    const own = ['id', 'name', 'provider_type', 'default_sender_id', 'is_active', 'created_at', 'updated_at']
    for (const path of ['/api/sms-gateways', '/api/console/records/sms-gateways'])
      for (const found of (await ask('GET', path)).json.data) assert.deepEqual(Object.keys(found), own)
    assert.deepEqual(Object.keys((await ask('GET', `/api/sms-gateways/${gatewayId}`)).json.data), own)
    assert.deepEqual((await ask('GET', '/api/sms-gateways?search=127.0.0.1')).json.data, [])
    for (const query of ['filter[server_host]=127.0.0.1', 'filter[username]=user', 'sort=server_port'])
      for (const path of ['', '/count'])
        if (!(query.startsWith('sort') && path))
          assert.equal((await ask('GET', `/api/console/records/sms-gateways${path}?${query}`)).status, 422, query)
  })

  it("sends only for its tenant, and sees its own messages without the gateway's token", async () => {
    const send = `/api/sms-gateways/${gatewayId}/send`
    const { json, text } = await ask('POST', send, MESSAGE)
    assert.equal(json.data.tenant_id, world.references.tenant_id)
    assert.doesNotMatch(text, /t0ken/)
    const foreign = await ask('POST', send, { ...MESSAGE, tenant_id: other })
    assert.deepEqual(
      [foreign.status, foreign.json.errors],
      [422, { tenant_id: ['The selected tenant id is invalid.'] }],
    )
    const listed = await ask('GET', `/api/sms-gateways/${gatewayId}/messages`)
    assert.doesNotMatch(listed.text, /t0ken/)
    assert.ok(listed.json.data.length > 0)
    for (const { tenant_id } of listed.json.data) assert.equal(tenant_id, world.references.tenant_id)
  })

  it('gets quotes and reports of its own tenant', async () => {
    const quoted = (tenant_id: number) => ask('POST', '/api/console/quote', { tenant_id, number: '+380441234567' })
    assert.equal((await quoted(world.references.tenant_id)).status, 200)
    assert.equal((await quoted(other)).status, 404)
    const reported = async (query: string) =>
      (await ask('GET', `/api/console/usage?month=2026-01${query}`)).json.data.reports.length
    assert.deepEqual([await reported(''), await reported(`&tenant=${other}`)], [1, 0])
  })

  it('gets the figures of its own tenant, and none of the service', async () => {
    const { data } = (await ask('GET', '/api/console/pulse')).json
    const total = (await admin('GET', '/api/console/pulse')).json.data
    assert.equal(data.service, null)
    const sum = (messages: Record<string, number>) => Object.values(messages).reduce((all, one) => all + one, 0)
    assert.ok(sum(data.messages) > 0 && sum(data.messages) < sum(total.messages), JSON.stringify([data, total]))
    assert.equal(total.service.quarantined, 0)
  })

  it('is reported to the console', async () => {
    const { tenant, permissions } = (await ask('GET', '/api/console/me')).json.data
    assert.equal(tenant.id, world.references.tenant_id)
    assert.deepEqual(
      permissions.filter((each: string) => each.endsWith(':sms_gateways')),
      ['read:sms_gateways'],
    )
    assert.deepEqual(
      permissions.filter((each: string) => each.endsWith(':tenants')),
      ['read:tenants', 'change:tenants'],
    )
    assert.ok(permissions.includes('delete:extensions') && permissions.includes('send:sms_messages'))
    assert.deepEqual(
      permissions.filter((each: string) => each.endsWith(':audit')),
      [],
    )
  })

  it('sees nothing once its tenant is gone', async () => {
    const { id } = await world.create('tenants')
    const left = await signedIn(world.service, 'admin', id)
    assert.equal((await left('GET', `/api/tenants/${id}`)).status, 200)
    await admin('DELETE', `/api/tenants/${id}`)
    for (const { path } of ofTenant)
      if (path !== null) assert.deepEqual((await left('GET', `/api/${path}`)).json.data, [])
    assert.equal((await left('GET', '/api/console/me')).json.data.tenant.id, id)
  })
})
