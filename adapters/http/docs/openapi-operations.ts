import { referencesTo } from '../../../core/resources/all.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { MAX_SEARCH } from '../../../core/search.ts'
import { wording } from '../resource-routes.ts'
import { idSchema, objectOf, pascal, refToInput, refToRecord, type Schema } from './openapi-schemas.ts'

/** What the API description says of an operation, beyond its route. */
export interface Operation {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  /** By media type. A body of JSON alone is required and validated; one with alternatives is read leniently. */
  readonly body?: Readonly<Record<string, Schema>>
  readonly success: Success
  /** Failures beyond those of its session, parameters and body. */
  readonly failures?: readonly number[]
  /** What describes its 422, if not only broken rules. */
  readonly invalid?: 'credentials'
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly schema: Schema
  readonly description?: string
}

export interface Success {
  readonly status: number
  readonly description: string
  /** By media type. */
  readonly content: Readonly<Record<string, Schema>>
  readonly headers?: Readonly<Record<string, string>>
}

export const JSON_TYPE = 'application/json'

export const envelope = (message: string, data?: Schema): Schema =>
  objectOf({ message: { type: 'string', const: message }, ...(data ? { data } : {}) })

export const success = (status: number, message: string, data?: Schema, headers?: Success['headers']): Success => ({
  status,
  description: message,
  content: { [JSON_TYPE]: envelope(message, data) },
  ...(headers ? { headers } : {}),
})

const camel = (label: string): string => pascal(label).charAt(0).toLowerCase() + pascal(label).slice(1)

export const idParameter = ({ label }: Resource): Parameter => ({
  name: camel(label),
  in: 'path',
  schema: idSchema,
  description: `The id of one ${label}. Anything but a positive integer is a 404, like an unknown id.`,
})

export const PAGE: readonly Parameter[] = [
  {
    name: 'limit',
    in: 'query',
    schema: { type: 'integer', minimum: 1, maximum: 1000, examples: [100] },
    description: 'Returns one page of at most that many records; without it, the whole list.',
  },
  {
    name: 'after',
    in: 'query',
    schema: idSchema,
    description: 'With `limit`: the page that follows the record of this id.',
  },
]

export const NEXT = { Link: 'With `limit`, while more records follow: the next page, as `<…>; rel="next"`.' }

const searchParameter = ({ search }: Resource): Parameter[] =>
  search.length === 0
    ? []
    : [
        {
          name: 'search',
          in: 'query',
          schema: { type: 'string', maxLength: MAX_SEARCH },
          description: `Only records with this text, in any case, in ${search.map(name => `\`${name}\``).join(' or ')}.`,
        },
      ]

export const listOf = (resource: Resource, view: 'plain' | 'list'): Schema => ({
  type: 'array',
  items: refToRecord(resource, view),
})

const OMITTED = {
  keep: 'Omitted optional members keep their stored values.',
  clear: 'Omitted optional members become null (booleans false).',
}

/** Returns the operations on a resource's collection (`/api/things`) by method. */
function collectionOperation(resource: Resource, method: string): Operation | undefined {
  const { label, plural } = resource
  const operations: Readonly<Record<string, Operation>> = {
    GET: {
      id: `list${pascal(plural)}`,
      tag: plural,
      summary: `List ${plural}`,
      description: resource.order === 'id' ? 'Newest first.' : `By \`${resource.order}\`, the latest first.`,
      parameters: [...searchParameter(resource), ...PAGE],
      success: success(200, wording.listed(resource), listOf(resource, 'list'), NEXT),
    },
    POST: {
      id: `create${pascal(label)}`,
      tag: plural,
      summary: `Create one ${label}`,
      body: { [JSON_TYPE]: refToInput(resource, 'POST') },
      success: success(201, wording.created(resource), refToRecord(resource, 'plain')),
    },
  }
  return operations[method]
}

const CASCADE: Parameter = {
  name: 'cascade',
  in: 'query',
  schema: { type: 'string', enum: ['true', 'false'] },
  description: 'With `true`, the dependants are deleted too; without it, they prevent the deletion (409).',
}

/** Returns the operations on one record (`/api/things/1`) by method. */
function recordOperation(resource: Resource, method: string): Operation | undefined {
  const { label, plural, put, patch } = resource
  const common = { tag: plural, parameters: [idParameter(resource)] }
  const isHeld = referencesTo(resource).some(({ onDelete }) => onDelete === 'restrict')
  const changing = {
    ...common,
    body: { [JSON_TYPE]: refToInput(resource, method) },
    success: success(200, wording.updated(resource), refToRecord(resource, 'plain')),
  }
  const operations: Readonly<Record<string, Operation>> = {
    GET: {
      ...common,
      id: `show${pascal(label)}`,
      summary: `Show one ${label}`,
      success: success(200, wording.loaded(resource), refToRecord(resource, 'single')),
    },
    PUT: {
      ...changing,
      id: `replace${pascal(label)}`,
      summary: `Replace one ${label}`,
      description: OMITTED[put],
    },
    PATCH: {
      ...changing,
      id: `change${pascal(label)}`,
      summary: `Change one ${label}`,
      description: patch === 'merge' ? 'Changes only the given members.' : `The same as PUT. ${OMITTED[put]}`,
    },
    DELETE: {
      ...common,
      parameters: [...common.parameters, ...(isHeld ? [CASCADE] : [])],
      id: `delete${pascal(label)}`,
      summary: `Delete one ${label}`,
      success: success(200, wording.deleted(resource)),
      failures: isHeld ? [409] : [],
    },
  }
  return operations[method]
}

/** Returns the operation of a method on a resource's collection or, with an id in the path, on one record. */
export const resourceOperation = (resource: Resource, method: string, path: string): Operation | undefined =>
  path.includes(':id') ? recordOperation(resource, method) : collectionOperation(resource, method)
