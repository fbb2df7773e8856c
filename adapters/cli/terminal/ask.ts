import { invalid } from '../../../core/errors.ts'
import { type JsonObject, objects } from '../../../core/json.ts'
import { type Field, Problem } from '../../../core/resources/field.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { broken, mergeErrors, REQUIRED } from '../../../core/resources/values/field-errors.ts'
import { parseMembers } from '../../../core/resources/values/input.ts'
import { written } from '../../../core/resources/values/written.ts'
import type { Context, Services } from '../context.ts'
import { labelOfField, targetIn } from '../fields.ts'
import { cell } from './json-values.ts'
import { writeErrors } from './streams.ts'
import { printable } from './styles.ts'

/**
 * Prompts in a terminal. They appear on standard error, so that standard output stays data. The prompting library
 * writes to the terminal itself, so texts are cleaned here.
 */

async function prompts({ io }: Context) {
  const { createPromptModule } = (await import('inquirer')).default
  return createPromptModule({ input: io.stdin, output: io.stderr })
}

export async function confirm(context: Context, message: string): Promise<boolean> {
  const ask = await prompts(context)
  const { answer } = await ask([{ type: 'confirm', name: 'answer', message: printable(message), default: false }])
  return answer === true
}

interface TextQuestion {
  readonly hidden?: boolean
  readonly initial?: string | undefined
  readonly validate?: Validate
}

/** Returns true, or a sentence that says what is wrong. */
type Validate = (text: string) => true | string | Promise<true | string>

const said =
  (validate: Validate): Validate =>
  async text => {
    const outcome = await validate(text)
    return outcome === true || printable(outcome)
  }

export async function askText(
  context: Context,
  message: string,
  { hidden, initial, validate = () => true }: TextQuestion = {},
): Promise<string> {
  if (hidden) return askHidden(context, message, validate)
  const ask = await prompts(context)
  const { answer } = await ask([
    {
      type: 'input',
      name: 'answer',
      message: printable(message),
      validate: said(validate),
      ...(initial ? { default: initial } : {}),
    },
  ])
  return String(answer)
}

/** Asks again on an empty line after a wrong value: leftover dots would become part of the next try, unseen. */
async function askHidden(context: Context, message: string, validate: Validate) {
  const ask = await prompts(context)
  for (;;) {
    const { answer } = await ask([{ type: 'password', name: 'answer', message: printable(message), mask: '•' }])
    const outcome = await validate(String(answer))
    if (outcome === true) return String(answer)
    writeErrors(context.io, outcome)
  }
}

type Asked = Pick<Resource, 'name' | 'fields' | 'unique'>

/**
 * Asks for the required fields that the body lacks, each under the rules of its declaration and against other records.
 * If a person wants a random value, the field stays undefined. Throws `invalid` on given values.
 */
export async function askMissing(
  context: Context,
  services: Services,
  resource: Asked,
  body: JsonObject,
): Promise<JsonObject> {
  const { values, errors } = parseMembers(resource.fields, body, 'merge')
  const problems = mergeErrors(resource, errors, await services.records.violations(resource, values))
  if (problems.length > 0) throw invalid(problems)
  const complete: JsonObject = { ...body }
  for (const [name, field] of Object.entries(resource.fields))
    if (field.required && complete[name] === undefined)
      complete[name] = await askField(context, services, { resource, name, field, body: complete })
  return complete
}

/** Offers the first usual value if there are a few. */
const usual = ({ secret, examples = [] }: Field): string | undefined =>
  !secret && examples.length > 1 ? examples[0] : undefined

/** A field to ask for, and what is known of its record. */
interface AskedField {
  readonly resource: Asked
  readonly name: string
  readonly field: Field
  readonly body: JsonObject
}

async function askField(
  context: Context,
  services: Services,
  { resource, name, field, body }: AskedField,
): Promise<unknown> {
  const target = targetIn(field, body)
  const message = `${labelOfField(name, field)}${field.generated ? ' (empty: a random one)' : ''}:`
  if (target) return choose(context, message, search => candidates(services, target, search))
  if (field.choices) {
    const choices = field.choices.map(choice => ({ name: choice, value: choice }))
    return choose(context, message, async search => choices.filter(choice => choice.name.includes(search)))
  }
  const answer = await askText(context, message, {
    hidden: field.secret === true,
    initial: usual(field),
    validate: async text => {
      if (text.trim() === '') return field.generated ? true : broken(name, REQUIRED).sentence
      const meant = written(field, text)
      const value = meant instanceof Problem ? meant : field.parse(meant)
      if (value instanceof Problem) return broken(name, value).sentence
      const { values } = parseMembers(resource.fields, body, 'merge')
      const problems = await services.records.violations(resource, { ...values, [name]: value })
      return problems.find(problem => problem.field === name)?.sentence ?? true
    },
  })
  return field.generated && answer.trim() === '' ? undefined : written(field, answer)
}

type Choice = { readonly name: string; readonly value: unknown }

/** Lets a person choose one of many by typing a part of it. */
export async function choose(
  context: Context,
  message: string,
  find: (search: string) => Promise<Choice[]>,
): Promise<unknown> {
  const ask = await prompts(context)
  const source = async (search: string | undefined): Promise<Choice[]> =>
    (await find(search ?? '')).map(({ name, value }) => ({ name: printable(name), value }))
  const { answer } = await ask([{ type: 'search', name: 'answer', message: printable(message), source }])
  return answer
}

/** Returns the first records that a search finds, described so that a person can tell them apart. */
export async function candidates(
  { records }: Pick<Services, 'records'>,
  resource: Resource,
  search: string,
): Promise<Choice[]> {
  const query = { view: 'plain' as const, limit: 20, ...(search.trim() ? { search: search.trim() } : {}) }
  for await (const page of records.list(resource, query))
    return objects(`[${page.json}]`).map(row => {
      const shown = resource.search.map(field => cell(row[field])).filter(text => text !== '')
      return { name: `${shown.join(' · ')} (id ${cell(row['id'])})`, value: row['id'] }
    })
  return []
}
