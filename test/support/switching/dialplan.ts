/** A model of Asterisk's dialplan: the part that Trunkline renders; anything else is an error. */

import { before, matches, type Sign, signsOf } from './dialplan-patterns.ts'

interface Step {
  readonly label: string | null
  readonly app: string
  readonly args: string
}

type Context = Map<string, Step[]>

export interface Dialplan {
  readonly contexts: Map<string, Context>
  readonly includes: ReadonlyMap<string, readonly string[]>
}

const LINE = /^(?:exten => ([^,]+),1|same => n)(?:\(([a-z0-9]+)\))?,([A-Za-z]+)\((.*)\)$/s

export function readDialplan(text: string): Dialplan {
  const contexts = new Map<string, Context>()
  const includes = new Map<string, string[]>()
  let context: Context = new Map()
  let name = ''
  let steps: Step[] = []
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith(';') || line.includes(',hint,')) continue
    const section = /^\[([A-Za-z0-9_.+-]+)\]$/.exec(line)?.[1]
    const include = /^include => (.+)$/.exec(line)?.[1]
    if (section !== undefined) {
      if (contexts.has(section)) throw new Error(`two contexts ${section}`)
      name = section
      context = new Map()
      contexts.set(section, context)
    } else if (include !== undefined) includes.set(name, [...(includes.get(name) ?? []), include])
    else {
      const [, pattern, label = null, app = '', args = ''] = LINE.exec(line) ?? []
      if (app === '') throw new Error(`unreadable: ${line}`)
      if (pattern !== undefined) {
        if (context.has(pattern)) throw new Error(`twice in ${name}: ${pattern}`)
        steps = []
        context.set(pattern, steps)
      }
      steps.push({ label, app, args })
    }
  }
  return { contexts, includes }
}

export function find(plan: Dialplan, context: string, exten: string): Step[] | null {
  const found = plan.contexts.get(context)
  if (!found) return null
  const exact = exten.startsWith('_') ? undefined : found.get(exten)
  if (exact) return exact
  let best: { signs: readonly Sign[]; steps: Step[] } | null = null
  for (const [pattern, steps] of found) {
    const signs = signsOf(pattern)
    if (signs && matches(signs, exten) && (!best || before(signs, best.signs))) best = { signs, steps }
  }
  if (best) return best.steps
  for (const include of plan.includes.get(context) ?? []) {
    const steps = find(plan, include, exten)
    if (steps) return steps
  }
  return null
}

export interface Channel {
  readonly context: string
  readonly exten: string
  readonly variables?: Readonly<Record<string, string>>
  readonly accountcode?: string
  /** How many other channels are in a group: `name@category`. */
  readonly groups?: ReadonlyMap<string, number>
  /** What a call to this channel's phone would request. */
  readonly uri?: string
  /** The contacts of phones that ring together, by endpoint; others have one. */
  readonly registered?: ReadonlyMap<string, string>
  /** Status by contact; others are reachable. */
  readonly contacts?: ReadonlyMap<string, string>
  /** Asterisk's own database; kept from call to call, with what calls note when they end. */
  readonly database?: Map<string, string>
  /** The id of the channel that dials a carrier. */
  readonly uniqueId?: string
  /** How every Dial ends; CHANUNAVAIL unless it is given. */
  readonly dialStatus?: string
}

export interface Done {
  readonly app: string
  readonly args: string
  /** The extension that the call's record names. */
  readonly exten: string
  readonly accountcode: string
}

const MOST_STEPS = 500
/** When every call ends, in seconds. */
const ENDED_AT = '1772366400'
const ENDING = ['Dial', 'Queue', 'VoiceMail', 'VoiceMailMain', 'Hangup']

/** What a channel does if nobody takes the call: all that it tries, and how it ends. */
export function run(plan: Dialplan, channel: Channel): Done[] {
  const variables = new Map(Object.entries(channel.variables ?? {}))
  /** The groups of the channel; those of the channels that it has dialled from count too. */
  let mine = new Map<string, string>()
  const held = [mine]
  const database = channel.database ?? new Map<string, string>()
  const callers: { context: string; exten: string; place: number }[] = []
  const done: Done[] = []
  /** Run once the channel hangs up, the last one first. */
  const handlers: string[] = []
  let { accountcode = '' } = channel
  let hasEnded = false
  let [context, exten, place] = [channel.context, channel.exten, 0]
  const countOf = (group: string): number => {
    const [name, category = ''] = group.split('@')
    return (channel.groups?.get(group) ?? 0) + held.filter(each => each.get(category) === name).length
  }
  const functions: Readonly<Record<string, (args: string) => string>> = {
    CHANNEL: args => {
      if (args === 'pjsip,target_uri') return channel.uri ?? ''
      return args === 'accountcode' ? accountcode : fail(`CHANNEL(${args})`)
    },
    REGEX: args => {
      const [, pattern = '', text = ''] = /^"([^"]*)" (.*)$/s.exec(args) ?? []
      return new RegExp(pattern).test(text) ? '1' : '0'
    },
    FILTER: args => (args.startsWith('0-9,') ? args.slice(4).replace(/[^0-9]/g, '') : fail(`FILTER(${args})`)),
    LEN: args => String(args.length),
    GROUP_COUNT: args => String(countOf(args)),
    DB: args => database.get(args) ?? '',
    DB_KEYCOUNT: args => String([...database.keys()].filter(key => key.startsWith(`${args}/`)).length),
    PJSIP_CONTACT: args => channel.contacts?.get(args.replace(/,status$/, '')) ?? 'Reachable',
    PJSIP_DIAL_CONTACTS: args => channel.registered?.get(args) ?? `PJSIP/${args}/sip:contact&PJSIP/${args}/sip:other`,
    IF: args => {
      const [, condition = '', yes = '', no = ''] = /^(.*?)\?(.*?)(?::(.*))?$/s.exec(args) ?? []
      return isTrue(condition) ? yes : no
    },
  }
  const expand = (text: string): string => expanded(text, variables, functions, exten)
  /** Begins the next handler; returns false if there is none. */
  const handles = (): boolean => {
    const [, handler, argument = ''] = /^([^(]*)\((.*)\)$/.exec(handlers.shift() ?? '') ?? []
    if (handler === undefined) return false
    for (const [name, value] of Object.entries({ ARG1: argument, EPOCH: ENDED_AT, UNIQUEID: channel.uniqueId ?? '1' }))
      variables.set(name, value)
    ;[context = '', exten = ''] = handler.split(',')
    place = 0
    return true
  }
  for (let step = 0; step < MOST_STEPS; step++) {
    const steps = find(plan, context, exten)
    const at = steps?.[place]
    if (!steps || !at) {
      done.push({ app: 'Hangup', args: steps ? 'end' : `nothing at ${context},${exten}`, exten, accountcode })
      return done
    }
    const goto = (to: string): void => {
      const parts = to.split(',')
      const label = parts.at(-1) ?? ''
      if (parts.length === 3) [context = '', exten = ''] = parts
      const target = find(plan, context, exten) ?? []
      place = /^[0-9]+$/.test(label) ? Number(label) - 1 : target.findIndex(each => each.label === label)
      if (place < 0) fail(`no label ${to}`)
    }
    const perform = (app: string, args: string): void => {
      place++
      if (app === 'Set') {
        const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(args) ?? []
        if (name.startsWith('GROUP(')) mine.set(name.slice(6, -1), value)
        else if (name.startsWith('DB(')) database.set(name.slice(3, -1), value)
        else if (name.startsWith('LOCAL(')) variables.set(name.slice(6, -1), value)
        else if (name === 'CHANNEL(accountcode)') accountcode = value
        else if (name === 'CHANNEL(hangup_handler_push)') handlers.unshift(value)
        else {
          // The name with and without the underscore of what dialled channels inherit is one variable.
          variables.delete(`_${name}`)
          variables.set(name, value)
        }
      } else if (app === 'Goto') goto(args)
      else if (app === 'Gosub') {
        const [, to = '', argument = ''] = /^([^(]*)\((.*)\)$/s.exec(args) ?? []
        callers.push({ context, exten, place })
        variables.set('ARG1', argument)
        goto(to)
      } else if (app === 'Return') {
        const caller = callers.pop()
        if (caller) ({ context, exten, place } = caller)
        else hasEnded = !handles()
      } else if (app === 'GotoIf') {
        const [, condition = '', yes = '', no = ''] = /^([^?]*)\?([^:]*)(?::(.*))?$/s.exec(args) ?? []
        const to = isTrue(condition) ? yes : no
        if (to !== '') goto(to)
      } else if (app === 'ExecIf') {
        const [, condition = '', then = ''] = /^([^?]*)\?(.*)$/s.exec(args) ?? []
        const [, inner = '', innerArgs = ''] = /^([A-Za-z]+)\((.*)\)$/s.exec(then) ?? []
        place--
        if (isTrue(condition)) perform(inner, innerArgs)
        else place++
      } else if (app === 'TryExec') {
        const [, inner = '', innerArgs = ''] = /^([A-Za-z]+)\((.*)\)$/s.exec(args) ?? []
        place--
        perform(inner, innerArgs)
      } else if (app === 'UserEvent' || app === 'Wait') {
        done.push({ app, args, exten, accountcode })
      } else if (app === 'Dial' && args.startsWith('Local/')) {
        const [, to = '', line = ''] = /^Local\/([^@]+)@([^/]+)\/n,,i$/.exec(args) ?? fail(`Dial(${args})`)
        const told = [...variables].flatMap(([name, value]) => (name.startsWith('_') ? [[name.slice(1), value]] : []))
        variables.clear()
        for (const [name = '', value = ''] of told) variables.set(name, value)
        ;[context, exten, place, accountcode] = [line, to, 0, '']
        mine = new Map()
        held.push(mine)
      } else if (ENDING.includes(app)) {
        done.push({ app, args, exten, accountcode })
        variables.set('DIALSTATUS', channel.dialStatus ?? 'CHANUNAVAIL')
      } else if (app !== 'NoOp') fail(`unknown application ${app}`)
    }
    perform(at.app, expand(at.args))
    if (at.app === 'Hangup') hasEnded = !handles()
    if (hasEnded) return done
  }
  return fail('it never ends')
}

const fail = (what: string): never => {
  throw new Error(what)
}

const isTrue = (condition: string): boolean => condition !== '' && condition !== '0'

function expanded(
  text: string,
  variables: ReadonlyMap<string, string>,
  functions: Readonly<Record<string, (args: string) => string>>,
  exten: string,
): string {
  let result = ''
  for (let at = 0; at < text.length; at++) {
    const opens = text.slice(at, at + 2)
    if (opens !== '\u0024{' && opens !== '$[') {
      result += text[at]
      continue
    }
    const close = closing(text, at + 1)
    const inner = expanded(text.slice(at + 2, close), variables, functions, exten)
    result += opens === '$[' ? expression(inner) : lookedUp(inner, variables, functions, exten)
    at = close
  }
  return result
}

function closing(text: string, open: number): number {
  const [begin, end] = [text[open], text[open] === '{' ? '}' : ']']
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === begin) depth++
    else if (text[at] === end && --depth === 0) return at
  }
  return fail(`not closed: ${text}`)
}

function lookedUp(
  inner: string,
  variables: ReadonlyMap<string, string>,
  functions: Readonly<Record<string, (args: string) => string>>,
  exten: string,
): string {
  const [, name = '', args] = /^([A-Z_]+)\((.*)\)$/s.exec(inner) ?? []
  if (args !== undefined) return (functions[name] ?? fail(`unknown function ${name}`))(args)
  const [variable = '', from, length] = inner.split(':')
  const value = variable === 'EXTEN' ? exten : (variables.get(`_${variable}`) ?? variables.get(variable) ?? '')
  if (from === undefined) return value
  const start = Number(from) < 0 ? Math.max(0, value.length + Number(from)) : Number(from)
  if (length === undefined) return value.slice(start)
  return Number(length) < 0 ? value.slice(start, Number(length)) : value.slice(start, start + Number(length))
}

/** `a | b`, `a & b` and comparisons, in order of precedence. */
function expression(text: string): string {
  const summed = text.replace(/(\d+) \+ (\d+)/g, (_, one: string, other: string) => String(Number(one) + Number(other)))
  const terms = summed.split(' | ').map(part => part.split(' & ').every(one => isTrue(comparison(one.trim()))))
  return terms.length === 1 && !/[=<>&]/.test(summed) ? comparison(summed.trim()) : terms.includes(true) ? '1' : '0'
}

function comparison(text: string): string {
  const [, left = '', sign, right = ''] = /^(.*?) (=|!=|>|<) (.*)$/s.exec(text) ?? []
  if (sign === undefined) return text
  const [a, b] = [left.replaceAll('"', ''), right.replaceAll('"', '')]
  const holds =
    sign === '=' ? a === b : sign === '!=' ? a !== b : sign === '>' ? Number(a) > Number(b) : Number(a) < Number(b)
  return holds ? '1' : '0'
}
