import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { exposedResources } from '../../../core/resources/all.ts'
import { startWorld, type World } from '../../support/data/records.ts'
import { shownAs } from '../../support/data/samples.ts'
import { documented } from '../../support/document.ts'

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.close())

describe('the declared resources', () => {
  it('match the document: fields, bounds, searches and unique sets', () => {
    assert.deepEqual(exposedResources.map(({ name }) => name).sort(), Object.keys(documented).sort())
    for (const resource of exposedResources) {
      const expected = documented[resource.name]
      assert.ok(expected)
      assert.equal(`/api/${resource.path}`, expected.path)
      assert.deepEqual(Object.keys(resource.fields), Object.keys(expected.fields))
      assert.deepEqual(resource.search, expected.search)
      assert.deepEqual(resource.unique, expected.unique)
      for (const [name, { required, hidden, references }] of Object.entries(expected.fields)) {
        const field = resource.fields[name]
        assert.equal(field?.required, required, `${resource.name}.${name} required`)
        assert.equal(field?.writeOnly ?? false, hidden ?? false, `${resource.name}.${name} hidden`)
        assert.equal(field?.references !== undefined, references ?? false, `${resource.name}.${name} reference`)
      }
    }
  })
})

for (const resource of exposedResources) {
  const expected = documented[resource.name]
  if (!expected) continue
  const { path, messages, fields } = expected
  const visible = Object.keys(fields).filter(name => !fields[name]?.hidden)

  describe(`${path}`, () => {
    it('creates a record and returns it as given, with an id and timestamps', async () => {
      const body = world.body(resource)
      const { status, json, headers } = await world.send('POST', path, body)
      assert.equal(status, 201)
      assert.deepEqual(Object.keys(json), ['message', 'data'])
      assert.equal(json.message, messages.create)
      assert.deepEqual(Object.keys(json.data), ['id', ...visible, 'created_at', 'updated_at'])
      const { id, created_at, updated_at, ...own } = json.data
      assert.ok(Number.isSafeInteger(id) && id > 0)
      assert.match(created_at, TIMESTAMP)
      assert.equal(updated_at, created_at)
      assert.deepEqual(own, shownAs(resource, body))
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    })

    it('shows a record with what the document embeds', async () => {
      const created = await world.create(resource)
      const { status, json } = await world.get(`${path}/${created.id}`)
      assert.equal(status, 200)
      assert.equal(json.message, messages.show)
      assert.deepEqual(Object.keys(json.data), [...Object.keys(created), ...expected.inSingle])
      assert.deepEqual({ ...json.data, ...created }, json.data)
    })

    it('lists every record with what the document embeds, newest first', async () => {
      const ids = [(await world.create(resource)).id, (await world.create(resource)).id]
      const { status, json } = await world.get(path)
      assert.equal(status, 200)
      assert.equal(json.message, messages.list)
      assert.ok(Array.isArray(json.data))
      assert.deepEqual(
        json.data.slice(0, 2).map(({ id }: { id: number }) => id),
        ids.reverse(),
      )
      assert.deepEqual(Object.keys(json.data[0]), ['id', ...visible, 'created_at', 'updated_at', ...expected.inList])
    })

    it('accepts by PUT and PATCH what a GET returned, and stays the same', async () => {
      const { id } = await world.create(resource)
      const before = (await world.get(`${path}/${id}`)).json.data
      const hidden = Object.keys(fields).filter(name => fields[name]?.hidden)
      const secrets = Object.fromEntries(hidden.map(name => [name, 'a password']))
      for (const method of ['PUT', 'PATCH']) {
        const { status, json } = await world.send(method, `${path}/${id}`, { ...before, ...secrets })
        assert.equal(status, 200, JSON.stringify(json))
        assert.equal(json.message, messages.update)
      }
      const after = (await world.get(`${path}/${id}`)).json.data
      assert.ok(after.updated_at > before.updated_at)
      assert.deepEqual({ ...after, updated_at: null }, { ...before, updated_at: null })
    })

    it('replaces every given member by PUT and PATCH alike', async () => {
      const { id } = await world.create(resource)
      for (const method of ['PUT', 'PATCH']) {
        const body = world.body(resource)
        const { status, json } = await world.send(method, `${path}/${id}`, body)
        assert.equal(status, 200)
        const { id: shownId, created_at, updated_at, ...own } = json.data
        assert.equal(shownId, id)
        assert.ok(updated_at > created_at)
        assert.deepEqual(own, shownAs(resource, body))
      }
    })

    it('gives omitted optional members their default on create', async () => {
      const body = world.body(resource)
      const optional = Object.keys(fields).filter(name => !fields[name]?.required)
      for (const name of optional) delete body[name]
      const { status, json } = await world.send('POST', path, body)
      assert.equal(status, 201)
      for (const name of optional)
        assert.equal(json.data[name], fields[name]?.hidden ? undefined : (fields[name]?.fallback ?? null), name)
    })

    it('ignores unknown members, and neither id nor timestamps can be set', async () => {
      const forged = { id: 987_654, created_at: '2001-01-01', updated_at: '2001-01-01', unheard: 1, __proto__x: {} }
      const created = await world.send('POST', path, { ...world.body(resource), ...forged })
      assert.equal(created.status, 201)
      assert.notEqual(created.json.data.id, forged.id)
      assert.notEqual(created.json.data.created_at.slice(0, 4), '2001')
      assert.ok(!('unheard' in created.json.data))
      const { id } = created.json.data
      const updated = await world.send('PUT', `${path}/${id}`, { ...world.body(resource), ...forged })
      assert.equal(updated.json.data.id, id)
      assert.equal(updated.json.data.created_at, created.json.data.created_at)
    })

    it('deletes a record for good', async () => {
      const { id } = await world.create(resource)
      const { status, json } = await world.send('DELETE', `${path}/${id}`)
      assert.equal(status, 200)
      assert.deepEqual(json, { message: messages.remove })
      assert.equal((await world.get(`${path}/${id}`)).status, 404)
      assert.equal((await world.send('DELETE', `${path}/${id}`)).status, 404)
    })

    it('answers 404 with its own name to an invalid or unknown id', async () => {
      const ids = ['0', '-1', '01', '1.0', '1e0', '+1', 'abc', '1%00', '1%2F2', '%20', '9007199254740993', '999999']
      for (const id of ids)
        for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
          const { status, json } = await world.send(method, `${path}/${id}`, method === 'GET' ? undefined : {})
          assert.equal(status, 404, `${method} ${id}`)
          assert.deepEqual(json, { message: messages.missing })
        }
    })

    it('answers 404 to a trailing slash and to another case', async () => {
      const { id } = await world.create(resource)
      for (const wrong of [`${path}/`, `${path}/${id}/`, path.toUpperCase(), `${path.replace('/api', '/Api')}/${id}`]) {
        const { status, json } = await world.get(wrong)
        assert.equal(status, 404, wrong)
        assert.equal(typeof json.message, 'string')
      }
    })

    it('answers 405 to a method it lacks, naming those it has', async () => {
      for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { status, headers, json } = await world.send(method, path)
        assert.equal(status, 405, method)
        assert.equal(headers.get('allow'), 'GET, HEAD, POST')
        assert.equal(typeof json.message, 'string')
      }
      const { status, headers } = await world.send('POST', `${path}/1`, {})
      assert.equal(status, 405)
      assert.equal(headers.get('allow'), 'GET, HEAD, PUT, PATCH, DELETE')
    })

    it('answers 401 without a session and does nothing', async () => {
      const { id } = await world.create(resource)
      const requests = [
        ['GET', path],
        ['POST', path],
        ['GET', `${path}/${id}`],
        ['PUT', `${path}/${id}`],
        ['PATCH', `${path}/${id}`],
        ['DELETE', `${path}/${id}`],
      ] as const
      for (const [method, target] of requests) {
        const json = method === 'GET' || method === 'DELETE' ? undefined : world.body(resource)
        const answer = await world.service.request(method, target, { json })
        assert.equal(answer.status, 401, `${method} ${target}`)
        assert.deepEqual(answer.json, { message: 'Unauthorized.' })
      }
      assert.equal((await world.get(`${path}/${id}`)).status, 200)
    })
  })
}
