import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { OpenApiDocument } from '../../../../adapters/http/docs/openapi.ts'
import { exposedResources } from '../../../../core/resources/all.ts'
import { startService, type TestService } from '../../../support/http/app.ts'
import { operationsOf, operationsOutsideConsole, responseChecker } from '../../../support/http/responses.ts'
import { routesOf } from '../../../support/http/routes.ts'

let service: TestService
let document: OpenApiDocument
before(async () => {
  service = await startService()
  document = (await service.request('GET', '/openapi.json')).json
})
after(() => service.close())

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone({ ...document }))
  assert.equal(valid, true, JSON.stringify(errors))
})

test('the document describes every route of the router, and nothing else', () => {
  const routes = routesOf(service)
  const paths = (path: string): string[] =>
    path.includes(':resource') ? exposedResources.map(each => path.replace(':resource', String(each.path))) : [path]
  const routed = routes.flatMap(({ path, methods }) =>
    Object.keys(methods).flatMap(method => paths(path).map(each => `${method} ${each.replace(/:\w+/g, '{}')}`)),
  )
  const described = operationsOf(document).map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
  assert.deepEqual(described.sort(), routed.sort())
})

test('no two operations share an id', () => {
  const ids = operationsOutsideConsole(document).map(({ operation }) => operation.operationId)
  assert.equal(new Set(ids).size, ids.length)
})

test('every example fits its schema', () => {
  const checker = responseChecker(document)
  const { schemas, responses } = document.components
  for (const [name, schema] of Object.entries(schemas))
    for (const given of Array.isArray(schema.examples) ? schema.examples : [])
      assert.equal(checker.fits(given, schema), null, name)
  const contents = [
    ...Object.entries(responses).map(([name, { content }]) => ({ name, content })),
    ...operationsOutsideConsole(document).flatMap(({ operation }) => [
      { name: operation.operationId, content: operation.requestBody?.content ?? {} },
      ...Object.values(operation.responses).map(response => ({
        name: operation.operationId,
        content: 'content' in response ? response.content : {},
      })),
    ]),
  ]
  for (const { name, content } of contents)
    for (const { schema, example } of Object.values(content))
      if (example !== undefined) assert.equal(checker.fits(example, schema), null, name)
})
