import { type Html, html } from './html.ts'
import type { OpenApiDocument, OperationObject, ResponseObject } from './openapi.ts'
import type { Schema } from './openapi-schemas.ts'
import { membersOf, nameIn, prose, resolved, typeOf, valueTable } from './reference-schema.ts'

interface Listed {
  readonly path: string
  readonly method: string
  readonly operation: OperationObject
}

const operationsOf = ({ paths }: OpenApiDocument, tag: string): Listed[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.tags.includes(tag) ? [{ path, method: method.toUpperCase(), operation }] : [],
    ),
  )

const paragraphs = (text: string): Html[] => text.split('\n\n').map(part => html`<p>${prose(part)}</p>`)

const json = (value: unknown): Html => html`<pre>${JSON.stringify(value, null, 2)}</pre>`

const anchor = (tag: string): string => `tag-${tag.replaceAll(' ', '-')}`

const textOf = (example: unknown): string => (typeof example === 'string' ? example : JSON.stringify(example))

/** Formats a request as a shell command. */
function curl({ path, method, operation }: Listed, url: string): string {
  const [[type, content] = []] = Object.entries(operation.requestBody?.content ?? {})
  const isPublic = operation.security.length === 0
  return [
    'curl',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(isPublic ? [] : ['-b cookies -c cookies']),
    `'${url}${path.replace(/\{\w+\}/g, '1')}'`,
    ...(type ? [`-H 'Content-Type: ${type}'`, `-d '${textOf(content?.example).replaceAll("'", "'\\''")}'`] : []),
  ].join(' ')
}

function bodyOf({ requestBody }: OperationObject, schemas: Readonly<Record<string, Schema>>): Html {
  const [[, content] = []] = Object.entries(requestBody?.content ?? {})
  if (!content) return html``
  const schema = resolved(content.schema, schemas)
  const about = typeof schema.description === 'string' ? paragraphs(schema.description) : []
  const types = Object.keys(requestBody?.content ?? {}).map(type => html` <code>${type}</code>`)
  return html`<h4>Body:${types}</h4>${membersOf(schema)}${about}`
}

function parametersOf({ parameters = [] }: OperationObject): Html {
  if (parameters.length === 0) return html``
  const values = parameters.map(({ name, schema, description = '', required = false, ...parameter }) => {
    return { name, schema, required, about: `${description} In the ${parameter.in}.` }
  })
  return html`<h4>Parameters</h4>${valueTable(values)}`
}

/** Describes the data of an answer. */
function dataOf({ content }: ResponseObject): Html {
  const { properties } = content['application/json']?.schema ?? {}
  if (typeof properties !== 'object' || properties === null || !('data' in properties)) return html``
  return html` <code>data</code>: ${typeOf(Object(properties.data))}.`
}

const headersOf = ({ headers = {} }: ResponseObject): Html[] =>
  Object.entries(headers).map(([name, { description = '' }]) => html`<br><code>${name}</code>: ${prose(description)}`)

function successRow(status: string, response: ResponseObject): Html {
  const example = response.content['application/json']?.example
  const shown = example === undefined ? '' : html`<details><summary>Example</summary>${json(example)}</details>`
  return html`<tr><td>${status}</td><td>${prose(response.description)}${dataOf(response)}${headersOf(response)}${shown}</td></tr>\n`
}

function responsesOf({ responses }: OperationObject, { components }: OpenApiDocument): Html {
  const rows = Object.entries(responses).map(([status, response]) => {
    if (!('$ref' in response)) return successRow(status, response)
    const name = nameIn(response.$ref)
    const about = components.responses[name]?.description ?? name
    return html`<tr><td>${status}</td><td><a href="#response-${name}">${prose(about)}</a></td></tr>\n`
  })
  return html`<h4>Responses</h4><table><tbody>${rows}</tbody></table>`
}

function operationPart(listed: Listed, document: OpenApiDocument): Html {
  const { path, method, operation } = listed
  const { operationId, summary, description = '', security } = operation
  const isOpen = security.length === 0 || security.some(one => Object.keys(one).length === 0)
  return html`<article id="${operationId}">
<h3><a href="#${operationId}"><span class="method">${method}</span> <code>${path}</code></a></h3>
<p>${summary}. ${isOpen ? 'Without a session.' : ''}</p>${description === '' ? '' : paragraphs(description)}
<pre>${curl(listed, document.servers[0]?.url ?? '')}</pre>
${parametersOf(operation)}${bodyOf(operation, document.components.schemas)}${responsesOf(operation, document)}
</article>
`
}

const menu = (document: OpenApiDocument): Html[] =>
  document.tags.map(
    ({ name }) =>
      html`<h2><a href="#${anchor(name)}">${name}</a></h2><ul>${operationsOf(document, name).map(
        ({ method, path, operation }) =>
          html`<li><a href="#${operation.operationId}" title="${method} ${path}">${operation.summary}</a></li>\n`,
      )}</ul>\n`,
  )

const failurePart = ([name, response]: [string, ResponseObject]): Html => html`<article id="response-${name}">
<h3>${name}</h3><p>${prose(response.description)}${headersOf(response)}</p>${json(response.content['application/json']?.example)}
</article>
`

const schemaPart = ([name, schema]: [string, Schema]): Html => html`<article id="schema-${name}">
<h3>${name}</h3>${membersOf(schema)}
</article>
`

/** Builds the description of the API as a page without scripts, in steps. */
export function* referencePage(document: OpenApiDocument): Generator<void, string> {
  const parts: Html[] = []
  const { info, components, tags } = document
  for (const { name } of tags) {
    parts.push(html`<section><h2 id="${anchor(name)}">${name}</h2>\n`)
    for (const listed of operationsOf(document, name)) {
      parts.push(operationPart(listed, document))
      yield
    }
    parts.push(html`</section>\n`)
  }
  parts.push(
    html`<section><h2 id="failures">Failures</h2>\n${Object.entries(components.responses).map(failurePart)}</section>\n`,
  )
  yield
  parts.push(html`<section><h2 id="records">Records and bodies</h2>\n`)
  for (const named of Object.entries(components.schemas)) {
    parts.push(schemaPart(named))
    yield
  }
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${String(info.title)} API</title>
<link rel="stylesheet" href="docs/reference.css">
</head>
<body>
<nav>${menu(document)}<h2><a href="#failures">Failures</a></h2><h2><a href="#records">Records and bodies</a></h2></nav>
<main>
<h1>${String(info.title)} API ${String(info.version)}</h1>
${paragraphs(String(info.description))}
<p>To try it out, log in with <a href="#login">curl</a>, which keeps the session in the file <code>cookies</code>; or import <a href="openapi.json">openapi.json</a> into a client for HTTP.</p>
${parts}</section>
</main>
</body>
</html>
`.text
}
