import { formatAmount } from '../amounts.ts'
import { described } from '../dialling/described.ts'
import type { CallDecision, Step, Target } from './decision.ts'

/** One line of an explanation: its subject, and a sentence without its full stop. */
export interface Explained {
  readonly about: string
  readonly text: string
}

/** Explains step by step, for an operator, where a call goes and why. */
export function explainCall(decision: CallDecision): Explained[] {
  const targets = decision.steps.flatMap(step => (step.kind === 'target' ? [step.target] : []))
  const steps = decision.steps.flatMap(step => (step.kind === 'target' ? [] : [explained(step)]))
  if (decision.refusal !== null)
    return [...steps, { about: 'refused', text: `${decision.refusal}: ${decision.reason}` }]
  const ends = targets.map((target, index) => ({ about: index === 0 ? 'goes to' : 'else to', text: place(target) }))
  const { maxSeconds } = decision
  return [...steps, ...ends, ...(maxSeconds === null ? [] : [{ about: 'ends', text: `after ${maxSeconds} s` }])]
}

function explained(step: Exclude<Step, { kind: 'target' }>): Explained {
  switch (step.kind) {
    case 'tenant':
      return { about: 'tenant', text: `${step.tenant.slug} is ${step.tenant.status}` }
    case 'caller': {
      const { number, displayName, status } = step.extension
      return { about: 'caller', text: `extension ${number} (${displayName}) is ${status}` }
    }
    case 'number':
      return { about: 'number', text: numberText(step) }
    case 'inside':
      return { about: 'inside', text: `${step.number} is ${ARTICLES[step.what]} of the tenant` }
    case 'permission':
      return { about: 'allowed', text: permissionText(step) }
    case 'rate':
      return {
        about: 'rate',
        text: step.prefix === null ? `none matches${step.isRequired ? '' : ', and none is required'}` : step.prefix,
      }
    case 'limit': {
      const show = (value: number): string => (step.name.startsWith('cost') ? formatAmount(value) : String(value))
      return { about: 'limit', text: `${step.name} of ${whose(step.of)}: ${show(step.used)} of ${show(step.limit)}` }
    }
    case 'route': {
      const numbers = step.prefix === '' ? 'all numbers' : `numbers that begin with ${step.prefix}`
      const tenants = step.isOwn ? 'the tenant' : 'all tenants'
      return { about: 'route', text: `of ${tenants}, for ${numbers}: ${step.trunks.join(', ') || 'no trunk'}` }
    }
    case 'trunk':
      return { about: 'trunk', text: step.why === null ? `${step.name} takes it` : `not ${step.name}: ${step.why}` }
  }
}

const ARTICLES = { extension: 'an extension', queue: 'a queue', DID: 'a DID' } as const

const whose = (of: string | null): string => (of === null ? 'the tenant' : `extension ${of}`)

function numberText({ given, read, country }: Extract<Step, { kind: 'number' }>): string {
  const what = described(given, read, country)
  return what === null ? `${given} is read as ${read.digits || 'nothing'}` : `${what}: ${read.digits}`
}

function permissionText({ of, prefix, rule }: Extract<Step, { kind: 'permission' }>): string {
  if (rule === 'not listed') return `no, for ${whose(of)}: no prefix matches`
  const by = prefix === null ? 'no prefix is blocked' : `prefix ${prefix || '(all)'}`
  return `${rule === 'allowed' ? 'yes' : 'no'}, for ${whose(of)}: ${by}`
}

function place(target: Target): string {
  switch (target.to) {
    case 'extension':
      return `extension ${target.extension.number}, for ${target.rings} s`
    case 'queue': {
      const agents = target.agents.map(({ extension }) => extension.number).join(', ')
      return `queue ${target.queue.number} (${agents === '' ? 'no active agent' : `agents ${agents}`}), for ${target.queue.timeout} s`
    }
    case 'voicemail':
      return `voicemail of extension ${target.extension.number}`
    case 'mailbox':
      return `the messages of extension ${target.extension.number}`
    case 'trunk':
      return `trunk ${target.trunk.name} as ${target.number}, ${target.caller === null ? 'no caller shown' : `shown as ${target.caller}`}`
  }
}
