import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { OpenApiDocument, OperationObject, ResponseObject } from '../../../adapters/http/docs/openapi.ts'
import { isJsonObject } from '../../../core/json.ts'

export interface Received {
  readonly method: string
  /** The requested path, with or without a query. */
  readonly path: string
  readonly status: number
  readonly contentType: string
  readonly text: string
}

export interface Documented {
  readonly method: string
  /** With parameters in braces. */
  readonly path: string
  readonly operation: OperationObject
}

export interface ResponseChecker {
  /** What is wrong with a response according to the document; null if nothing is. */
  problem(received: Received): string | null
  /** True if a JSON value fits a schema of the document. */
  fits(value: unknown, schema: unknown): string | null
}

export const operationsOf = ({ paths }: OpenApiDocument): Documented[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

/** The console's operations have tests of their own. */
export const operationsOutsideConsole = (document: OpenApiDocument): Documented[] =>
  operationsOf(document).filter(({ path }) => !path.startsWith('/api/console/'))

/** A response's own description, wherever it is. */
export function responseOf(document: OpenApiDocument, { responses }: OperationObject, status: string) {
  const found = responses[status]
  if (!found || !('$ref' in found)) return found
  return document.components.responses[found.$ref.slice(found.$ref.lastIndexOf('/') + 1)]
}

/** An object has no other members unless it allows them. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isJsonObject(schema)) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return schema.type === 'object' && isJsonObject(schema.properties) && !('additionalProperties' in schema)
    ? { ...copy, additionalProperties: false }
    : copy
}

const escaped = (text: string): string => text.replace(/[.]/g, '\\$&')

/** What a path parameter may be, as the source of a pattern. */
function valuesOf(name: string, methods: Readonly<Record<string, OperationObject>>): string {
  const parameters = Object.values(methods).flatMap(operation => operation.parameters ?? [])
  const { enum: values } = parameters.find(each => each.in === 'path' && each.name === name)?.schema ?? {}
  return Array.isArray(values) ? `(?:${values.map(value => escaped(String(value))).join('|')})` : '[^/]+'
}

const matcher = (template: string, methods: Readonly<Record<string, OperationObject>>): RegExp =>
  new RegExp(`^${escaped(template).replace(/\{(\w+)\}/g, (_, name: string) => valuesOf(name, methods))}$`)

const mediaType = (contentType: string): string => contentType.split(';')[0]?.trim() ?? ''

export function responseChecker(document: OpenApiDocument): ResponseChecker {
  const ajv = new Ajv2020({ strict: false, allErrors: false, formats: { email: true, uri: true } })
  ajv.addSchema({ $id: 'trunkline:', components: { schemas: closed(document.components.schemas) } })
  const compiled = new Map<unknown, ValidateFunction>()
  const routes = Object.entries(document.paths)
    .map(([template, methods]) => ({ pattern: matcher(template, methods), methods }))
    .sort((a, b) => a.pattern.source.length - b.pattern.source.length)

  const fits = (value: unknown, schema: unknown): string | null => {
    const rooted: unknown = JSON.parse(
      JSON.stringify(closed(schema)).replaceAll('"#/components', '"trunkline:#/components'),
    )
    const validate = compiled.get(schema) ?? ajv.compile(isJsonObject(rooted) ? rooted : {})
    compiled.set(schema, validate)
    return validate(value) ? null : ajv.errorsText(validate.errors)
  }
  const bodyProblem = ({ contentType, text }: Received, response: ResponseObject): string | null => {
    const type = mediaType(contentType)
    const content = response.content[type]
    if (!content) return `the content type ${contentType} is not documented`
    if (type !== 'application/json') return null
    try {
      return fits(JSON.parse(text), content.schema)
    } catch {
      return 'the body is not JSON'
    }
  }
  const errorProblem = (received: Received, status: number): string | null => {
    const { Other: other } = document.components.responses
    if (received.status !== status) return `the status should be ${status}`
    return other && received.method !== 'HEAD' ? bodyProblem(received, other) : null
  }
  return {
    fits,
    problem: received => {
      const path = received.path.split('?')[0] ?? ''
      const route = routes.find(({ pattern }) => pattern.test(path))
      if (!route) return errorProblem(received, 404)
      const isHead = received.method === 'HEAD'
      const operation = route.methods[isHead ? 'get' : received.method.toLowerCase()]
      if (!operation) return errorProblem(received, 405)
      const response = responseOf(document, operation, String(received.status))
      if (!response) return 'the status is not documented'
      return isHead ? (received.text === '' ? null : 'HEAD has a body') : bodyProblem(received, response)
    },
  }
}
