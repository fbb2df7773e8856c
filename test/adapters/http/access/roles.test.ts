import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { METHODS } from '../../../../adapters/http/route.ts'
import { OPERATIONS, refusal } from '../../../../core/access/policy.ts'
import { ROLES } from '../../../../core/ports/accounts.ts'
import { exposedResources, resourceNamed } from '../../../../core/resources/all.ts'
import { furnished } from '../../../support/data/furnished.ts'
import { startWorld, type World } from '../../../support/data/records.ts'
import { signedIn } from '../../../support/http/accounts.ts'
import { temporaryFolder } from '../../../support/http/app.ts'
import { withJobs } from '../../../support/http/jobs.ts'
import { responseChecker } from '../../../support/http/responses.ts'
import { pathsOf, routesOf } from '../../../support/http/routes.ts'
import { startGateway } from '../../../support/messaging/gateway.ts'

const SECRET = 'sEcReT-9f3k'
type Ask = Awaited<ReturnType<typeof signedIn>>

const folder = temporaryFolder()
let world: World
let ask: Record<'admin' | 'manager' | 'supervisor', Ask>
let ids: Record<string, number>

before(async () => {
  world = await startWorld({ roles: 'enforced', db: join(folder.path, 'access.db') })
  ids = await furnished(world, world.references.tenant_id, SECRET)
  const { service } = world
  ask = {
    admin: await signedIn(service, 'admin'),
    manager: await signedIn(service, 'manager'),
    supervisor: await signedIn(service, 'supervisor'),
  }
  const { uploads } = await withJobs(ask.admin)
  const { jobs } = await withJobs(ask.supervisor)
  Object.assign(ids, { uploads, jobs })
})
after(async () => {
  await world.close()
  folder.remove()
})

const idOf = (name: string): number => ids[name] ?? 1
/** A record as a request body. */
const bodyOf = async (path: string): Promise<Record<string, unknown>> => (await ask.admin('GET', path)).json.data

/** Only an admin may even read these. */
const OF_ADMINS = /console\/(?:accounts|sessions)/

describe('every record that an account gets', () => {
  it('fits the schema of the reference, whatever the account may see', async () => {
    const { json: document } = await world.service.request('GET', '/openapi.json')
    const checker = responseChecker(document)
    const { tenant_id } = world.references
    const limited = [
      ask.manager,
      ask.supervisor,
      await signedIn(world.service, 'admin', tenant_id),
      await signedIn(world.service, 'supervisor', tenant_id),
    ]
    for (const [account, get] of limited.entries())
      for (const { path, name } of exposedResources)
        for (const at of [`/api/${path}`, `/api/${path}/${idOf(name)}`]) {
          const { status, text, headers } = await get('GET', at)
          if (status === 403) continue
          const contentType = headers.get('content-type') ?? ''
          assert.equal(
            checker.problem({ method: 'GET', path: at, status, contentType, text }),
            null,
            `${account} ${at}`,
          )
        }
  })
})

describe('every route', () => {
  it('that needs a session declares what it requires of the account', () => {
    for (const { path, session, methods, needs } of routesOf(world.service))
      if (session === 'required')
        assert.deepEqual(
          Object.keys(methods).filter(each => !(each in (needs ?? {}))),
          [],
          path,
        )
  })

  it('that does not is for admins only', () => {
    assert.equal(refusal({ role: 'admin', tenantId: null }, null), null)
    for (const viewer of [
      { role: 'manager', tenantId: null },
      { role: 'supervisor', tenantId: null },
      { role: 'admin', tenantId: 1 },
    ] as const)
      assert.equal(refusal(viewer, null), 'Only an admin of all tenants may do this.')
  })
})

describe('a supervisor', () => {
  it('reads everything but secrets, wherever they stand', async () => {
    await ask.admin('POST', `/api/sms-gateways/${idOf('sms_gateways')}/send`, {
      to_number: '+380501234567',
      from_sender: 'ACME',
      message: 'x',
    })
    let seen = 0
    for (const route of routesOf(world.service))
      for (const path of route.session === 'required' && route.methods.GET ? pathsOf(route, idOf) : []) {
        const answer = await ask.supervisor('GET', path)
        assert.equal(answer.status, OF_ADMINS.test(path) ? 403 : 200, path)
        assert.doesNotMatch(answer.text, new RegExp(SECRET), path)
        seen++
      }
    assert.ok(seen > 20)
    const [extension] = (await ask.supervisor('GET', '/api/extensions')).json.data
    assert.equal('secret' in extension, false)
    assert.match((await ask.admin('GET', '/api/extensions')).text, new RegExp(SECRET))
  })

  it('does not see the token in the receipt URL of a message', async () => {
    const message = { to_number: '+380501234567', from_sender: 'ACME', message: 'x' }
    const gateway = await startGateway()
    const place = { server_host: gateway.host, server_port: gateway.port, use_ssl: false, is_active: true }
    const { json } = await ask.admin('POST', '/api/sms-gateways', {
      ...world.body('sms_gateways'),
      ...place,
      callback_token: SECRET,
      meta: { dlr_token_in: 'query:token' },
    })
    const sent = await ask.supervisor('POST', `/api/sms-gateways/${json.data.id}/send`, message)
    assert.equal(sent.json.data.delivery_status, 'submitted', sent.text)
    assert.doesNotMatch(sent.text, new RegExp(SECRET))
    assert.doesNotMatch(
      (await ask.supervisor('GET', `/api/sms-gateways/${json.data.id}/messages`)).text,
      new RegExp(SECRET),
    )
    assert.match((await ask.admin('GET', `/api/sms-gateways/${json.data.id}/messages`)).text, new RegExp(SECRET))
    await gateway.close()
  })

  it('changes nothing', async () => {
    for (const route of routesOf(world.service))
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
        for (const path of route.session === 'required' && route.methods[method] ? pathsOf(route, idOf) : []) {
          if (/\/(?:send|resend|quote)$|\/exports\//.test(path)) continue
          const { status, json } = await ask.supervisor(method, path, {})
          assert.equal(status, 403, `${method} ${path}`)
          assert.match(json.message, /^The role supervisor may not (create|change|delete|see secrets of) [\w ]+\.$/)
        }
  })
})

describe('a manager', () => {
  it('makes, changes and deletes records of every kind but tenants, which it does not delete', async () => {
    for (const resource of exposedResources) {
      const path = `/api/${resource.path}`
      const made = await ask.manager('POST', path, world.body(resource))
      assert.equal(made.status, 201, made.text)
      const record = `${path}/${made.json.data.id}`
      const body = { ...world.body(resource), ...(await bodyOf(record)), password: 'same' }
      assert.equal((await ask.manager('PUT', record, body)).status, 200, record)
      const gone = await ask.manager('DELETE', record)
      assert.equal(gone.status, resource.name === 'tenants' ? 403 : 200, record)
      if (gone.status === 403) assert.equal(gone.json.message, 'The role manager may not delete tenants.')
    }
  })

  it("does not change where a gateway's password goes", async () => {
    const path = `/api/sms-gateways/${idOf('sms_gateways')}`
    const ways = {
      server_host: 'elsewhere.example.com',
      server_port: 1,
      use_ssl: (await bodyOf(path))['use_ssl'] !== true,
      api_path: 'other',
      username: 'other',
      meta: { profile: 'twilio' },
    }
    for (const [name, value] of Object.entries(ways)) {
      const { status, json } = await ask.manager('PATCH', path, { [name]: value, password: 'a new one' })
      assert.equal(status, 403, name)
      assert.match(json.message, /^Only an admin may change where a gateway's password goes \(/)
      const whole = { ...(await bodyOf(path)), password: SECRET, [name]: value }
      assert.equal((await ask.manager('PUT', path, whole)).status, 403, name)
      assert.equal(
        (await ask.manager('PATCH', `/api/console/records/sms-gateways/${idOf('sms_gateways')}`, { [name]: value }))
          .status,
        403,
      )
    }
    assert.equal((await ask.manager('PATCH', path, { notes: 'x', name: 'Other', meta: { dlr_level: 3 } })).status, 200)
    assert.equal((await ask.admin('PATCH', path, { server_host: ways.server_host })).status, 200)
  })

  it('is shown secrets', async () => {
    const answer = await ask.manager('POST', `/api/console/records/extensions/${idOf('extensions')}/secrets`)
    assert.equal(answer.json.data.secret, SECRET)
  })
})

describe('accounts and sessions', () => {
  it('are for admins only', async () => {
    for (const route of routesOf(world.service).filter(({ path }) => OF_ADMINS.test(path)))
      for (const method of METHODS.filter(each => route.methods[each]))
        for (const path of pathsOf(route, () => 999)) {
          const body = method === 'GET' ? undefined : {}
          assert.equal((await ask.manager(method, path, body)).status, 403, `${method} ${path}`)
          if (path.endsWith('/sessions') && method === 'DELETE') continue
          assert.notEqual((await ask.admin(method, path, body)).status, 403, `${method} ${path}`)
        }
  })
})

describe('GET /api/console/me', () => {
  it('shows what the account may do', async () => {
    const { json } = await ask.supervisor('GET', '/api/console/me')
    const { role, roles, tenant, permissions } = json.data
    assert.deepEqual({ role, roles, tenant }, { role: 'supervisor', roles: 'enforced', tenant: null })
    assert.ok(permissions.includes('read:tenants') && permissions.includes('send:sms_messages'))
    assert.deepEqual(
      permissions.filter((each: string) => !/^(read|send):/.test(each)),
      [],
    )
    const manager = (await ask.manager('GET', '/api/console/me')).json.data.permissions
    for (const each of ['change:tenants', 'delete:extensions', 'reveal:extensions'])
      assert.ok(manager.includes(each), each)
    for (const each of ['delete:tenants', 'change:accounts', 'change:settings'])
      assert.ok(!manager.includes(each), each)
    const admin = (await ask.admin('GET', '/api/console/me')).json.data.permissions
    assert.ok(admin.includes('delete:tenants') && admin.includes('change:settings'))
    assert.ok(OPERATIONS.every(operation => admin.some((each: string) => each.startsWith(`${operation}:`))))
  })
})

describe('without the setting', () => {
  it('every role may do everything', async () => {
    const free = await startWorld()
    for (const role of ROLES) {
      const asking = await signedIn(free.service, role)
      const { json } = await asking('POST', '/api/tenants', free.body(resourceNamed('tenants')))
      assert.equal((await asking('DELETE', `/api/tenants/${json.data.id}`)).status, 200)
      assert.match((await asking('GET', '/api/extensions')).text, /"secret"/)
      assert.equal((await asking('GET', '/api/console/me')).json.data.roles, 'off')
    }
    await free.close()
  })
})

it('with roles, an account of one tenant has the limits of both', async () => {
  const strict = await startWorld({ roles: 'enforced' })
  const supervisor = await signedIn(strict.service, 'supervisor', strict.references.tenant_id)
  assert.equal((await supervisor('DELETE', `/api/extensions/${strict.references.extension_id}`)).status, 403)
  const { text } = await supervisor('GET', '/api/extensions')
  assert.doesNotMatch(text, /"secret"/)
  const manager = await signedIn(strict.service, 'manager', strict.references.tenant_id)
  assert.match((await manager('GET', '/api/extensions')).text, /"secret"/)
  assert.equal((await manager('DELETE', `/api/extensions/${strict.references.extension_id}`)).status, 200)
  await strict.close()
})
