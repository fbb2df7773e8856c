import { exposedResources } from '../../../core/resources/all.ts'
import { VERSION } from '../../../core/version.ts'
import type { Route } from '../route.ts'
import { cookieName } from '../sessions/cookies.ts'
import { errorSchemas, type Failure, failures } from './openapi-failures.ts'
import { type Operation, type Parameter, resourceOperation, type Success } from './openapi-operations.ts'
import { componentSchemas, exampleOf, refTo, type Schema } from './openapi-schemas.ts'
import { specialOperations } from './openapi-special.ts'

type Json = Readonly<Record<string, unknown>>

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema: Schema }>>
  readonly content: Content
}

export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly Json[]
  readonly parameters?: readonly (Parameter & { readonly required?: true })[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  /** By status; failures refer to the components. */
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: Json
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  /** Operations by path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly securitySchemes: Json
  }
}

const ABOUT = `Administration of a multi-tenant telephone system.

Every answer is JSON with a \`message\`, and with \`data\` if there is content. An unknown path is a 404; an unsupported
method is a 405 that lists the supported ones in \`Allow\`. HEAD works wherever GET does.
Answers of 1 KiB or more are compressed if \`Accept-Encoding\` allows \`br\` or \`gzip\`.
Strings are trimmed (except passwords and secrets), an empty one counts as null, and numbers may be given as text.`

const text: Schema = { type: 'string' }
const SAFE = 'GET'

/** Returns the statuses that an operation can fail with, from its route, parameters and body. */
function failuresOf({ session }: Route, method: string, operation: Operation): string[] {
  const { parameters = [], body = {}, failures: own = [] } = operation
  const statuses = new Set<number>(own)
  if (session === 'none') return [...[...statuses].sort().map(String), 'default']
  if (session === 'required') statuses.add(401)
  if (method !== SAFE) statuses.add(403).add(507)
  if (parameters.some(parameter => parameter.in === 'path')) statuses.add(404)
  if (parameters.some(({ name }) => name === 'limit' || name === 'search')) statuses.add(422)
  if (Object.keys(body).length > 0) for (const status of [400, 413, 415, 422]) statuses.add(status)
  return [...[...statuses.add(503)].sort().map(String), 'default']
}

const SECURITY: Readonly<Record<Route['session'], readonly Json[]>> = {
  required: [{ session: [] }],
  optional: [{}, { session: [] }],
  none: [],
}

type ByName<T> = Readonly<Record<string, T>>

const parameterObject = (parameter: Parameter) => ({
  ...parameter,
  ...(parameter.in === 'path' ? { required: true as const } : {}),
})

const contentOf = (byType: ByName<Schema>, schemas: ByName<Schema>): Content =>
  Object.fromEntries(
    Object.entries(byType).map(([type, schema]) => {
      const example = exampleOf(schema, schemas)
      return [type, { schema, ...(example === undefined ? {} : { example }) }]
    }),
  )

function successObject({ description, headers, content }: Success, schemas: ByName<Schema>): ResponseObject {
  const described = Object.entries(headers ?? {}).map(([name, about]) => [name, { description: about, schema: text }])
  return {
    description,
    ...(headers ? { headers: Object.fromEntries(described) } : {}),
    content: contentOf(content, schemas),
  }
}

function operationObject(route: Route, method: string, operation: Operation, schemas: ByName<Schema>): OperationObject {
  const { id, tag, summary, description, parameters = [], body, success, invalid = '422' } = operation
  const refusals = failuresOf(route, method, operation).map(status => [
    status,
    { $ref: `#/components/responses/${failures[status === '422' ? invalid : status]?.name}` },
  ])
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    security: SECURITY[route.session],
    ...(parameters.length > 0 ? { parameters: parameters.map(parameterObject) } : {}),
    ...(body ? { requestBody: { required: route.session !== 'none', content: contentOf(body, schemas) } } : {}),
    responses: { [success.status]: successObject(success, schemas), ...Object.fromEntries(refusals) },
  }
}

/** Returns the paths of a route, with what each does. Throws if something is not described. */
function described(route: Route, method: string): { path: string; operation: Operation }[] {
  const found = route.path.includes(':resource')
    ? exposedResources.map(resource => ({
        path: route.path.replace(':resource', String(resource.path)),
        operation: resourceOperation(resource, method, route.path),
      }))
    : [{ path: route.path, operation: specialOperations[`${method} ${route.path}`] }]
  return found.map(({ path, operation }) => {
    if (!operation) throw new Error(`Nothing describes ${method} ${path}: add it to openapi-special.ts.`)
    const inPath = (operation.parameters ?? []).filter(parameter => parameter.in === 'path').map(({ name }) => name)
    return { path: path.replace(/:\w+/g, () => `{${inPath.shift()}}`), operation }
  })
}

const responseObject = ({ description, schema, example, headers }: Failure): ResponseObject => ({
  description,
  ...(headers
    ? { headers: Object.fromEntries(Object.entries(headers).map(([name, type]) => [name, { schema: type }])) }
    : {}),
  content: { 'application/json': { schema: schema ?? refTo('Error'), example } },
})

/** Builds the OpenAPI document of these routes, in steps. `baseUrl` has no trailing slash. */
export function* openApiDocument(routes: readonly Route[], baseUrl: string): Generator<void, OpenApiDocument> {
  const schemas = { ...errorSchemas, ...(yield* componentSchemas()) }
  const paths: Record<string, Record<string, OperationObject>> = {}
  const tags = new Set<string>()
  for (const route of routes)
    for (const method of Object.keys(route.methods))
      for (const { path, operation } of described(route, method)) {
        paths[path] ??= {}
        paths[path][method.toLowerCase()] = operationObject(route, method, operation, schemas)
        tags.add(operation.tag)
        yield
      }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trunkline',
      version: VERSION,
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: [...tags].map(name => ({ name })),
    paths,
    components: {
      schemas,
      responses: Object.fromEntries(Object.values(failures).map(failure => [failure.name, responseObject(failure)])),
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookieName('session', baseUrl.startsWith('https:')) },
      },
    },
  }
}
