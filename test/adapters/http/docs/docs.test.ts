import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { longestHold } from '../../../support/event-loop.ts'
import { startService, type TestService } from '../../../support/http/app.ts'

let service: TestService
let page: string
before(async () => {
  service = await startService()
})
after(() => service.close())

describe('the reference page', () => {
  it('and its document delay nothing while they are generated', async () => {
    const longest = await longestHold(async () => {
      page = (await service.request('GET', '/docs')).text
      await service.request('GET', '/openapi.json')
    })
    assert.ok(longest < 100, `${longest} ms`)
  })

  it('runs no script, requests nothing from other hosts, and makes the browser enforce that', async () => {
    const { headers } = await service.request('GET', '/docs')
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    assert.doesNotMatch(page, /<(script|style|img|form|iframe|svg|object|base)\b|\s(style|src|on\w+)=|javascript:/i)
    for (const [, target = ''] of page.matchAll(/href="([^"#]+)"/g))
      assert.equal((await service.request('GET', `/${target}`)).status, 200, target)
    const style = await service.request('GET', '/docs/reference.css')
    assert.doesNotMatch(style.text, /url\(|@import/)
  })

  it('links to everything that it names', () => {
    const places = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    assert.equal(new Set(places).size, places.length)
    for (const [, place] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(places.includes(place), place)
  })

  it('has every operation, with its members, its answers and a command that calls it', async () => {
    const { paths, components } = (await service.request('GET', '/openapi.json')).json
    for (const [path, methods] of Object.entries<Record<string, { operationId: string }>>(paths))
      for (const [method, { operationId }] of Object.entries(methods)) {
        const [, article = ''] = page.split(`<article id="${operationId}">`)
        const [shown = ''] = article.split('</article>')
        assert.ok(shown.includes(`>${method.toUpperCase()}</span> <code>${path}</code>`), operationId)
        assert.ok(shown.includes(`${service.url}${path.replace(/\{\w+\}/g, '1')}`), operationId)
      }
    for (const name of Object.keys(components.schemas)) assert.ok(page.includes(`id="schema-${name}"`), name)
    assert.match(page, /<code>slug<\/code><\/td><td>string<\/td><td>required, 1 to 255 characters/)
    assert.match(page, /<a href="#schema-TenantInList">/)
    assert.match(page, /<a href="#response-Unauthorized">/)
  })
})
