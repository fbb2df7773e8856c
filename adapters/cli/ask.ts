import type { JsonObject } from '../../core/json.ts'
import { isJsonObject, parseJson } from '../../core/json.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { type Field, Problem } from '../../core/resources/field.ts'
import { sentences } from '../../core/resources/input.ts'
import type { Resource } from '../../core/resources/resource.ts'
import type { Context, Services } from './context.ts'
import { cell } from './output.ts'

/** Prompts at a terminal. They are drawn on standard error, so that standard output stays data. */

const prompts = async () => (await import('inquirer')).default

/** inquirer's own options for where it reads and draws. */
const streams = ({ io }: Context) => ({ input: io.stdin as NodeJS.ReadStream, output: io.stderr as NodeJS.WriteStream })

export async function confirm(context: Context, message: string): Promise<boolean> {
  const { createPromptModule } = await prompts()
  const { answer } = await createPromptModule(streams(context))([
    { type: 'confirm', name: 'answer', message, default: false },
  ])
  return answer === true
}

export async function askText(
  context: Context,
  message: string,
  options: { hidden?: boolean; initial?: string; validate?: (given: string) => true | string } = {},
): Promise<string> {
  const { createPromptModule } = await prompts()
  const { hidden, initial, validate = () => true } = options
  const question = hidden
    ? { type: 'password' as const, name: 'answer', message, mask: '•', validate }
    : {
        type: 'input' as const,
        name: 'answer',
        message,
        validate,
        ...(initial === undefined ? {} : { default: initial }),
      }
  const { answer } = await createPromptModule(streams(context))([question])
  return String(answer)
}

/** Asks for the required fields that the body lacks, each under the rules of its declaration. */
export async function askMissing(
  context: Context,
  services: Services,
  resource: Resource,
  body: JsonObject,
): Promise<JsonObject> {
  const complete: JsonObject = { ...body }
  for (const [name, field] of Object.entries(resource.fields))
    if (field.required && complete[name] === undefined) complete[name] = await askField(context, services, name, field)
  return complete
}

async function askField(context: Context, services: Services, name: string, field: Field): Promise<unknown> {
  const message = `${name.replace(/_id$/, '').replaceAll('_', ' ')}:`
  const to = field.references?.to
  if (typeof to === 'string') return choose(context, message, search => candidates(services, resourceNamed(to), search))
  if (field.choices) {
    const choices = field.choices.map(choice => ({ name: choice, value: choice }))
    return choose(context, message, async search => choices.filter(choice => choice.name.includes(search)))
  }
  const initial = field.secret ? undefined : field.examples?.[0]
  return askText(context, message, {
    hidden: field.secret === true,
    ...(initial !== undefined && name === 'status' ? { initial } : {}),
    validate: given => {
      if (given.trim() === '') return sentences.field(name, 'is required')
      const value = field.parse(given)
      return value instanceof Problem ? sentences.field(name, value.predicate) : true
    },
  })
}

type Choice = { readonly name: string; readonly value: unknown }

async function choose(
  context: Context,
  message: string,
  find: (search: string) => Promise<Choice[]>,
): Promise<unknown> {
  const { createPromptModule } = await prompts()
  const { answer } = await createPromptModule(streams(context))([
    { type: 'search', name: 'answer', message, source: (search: string | undefined) => find(search ?? '') },
  ])
  return answer
}

/** The first records that a search finds, as a person tells them apart. */
async function candidates({ records }: Services, resource: Resource, search: string): Promise<Choice[]> {
  const query = { view: 'plain' as const, limit: 20, ...(search.trim() ? { search: search.trim() } : {}) }
  for await (const page of records.list(resource, query)) {
    const rows = parseJson(`[${page.json}]`)
    if (!Array.isArray(rows)) return []
    return rows.filter(isJsonObject).map(row => {
      const shown = resource.search.map(field => cell(row[field])).filter(text => text !== '')
      return { name: `${shown.join(' · ')} (id ${cell(row['id'])})`, value: row['id'] }
    })
  }
  return []
}
