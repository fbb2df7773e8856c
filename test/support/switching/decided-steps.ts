import type { LiveCall } from '../../../core/ports/switching.ts'
import type { CallDecision, Target } from '../../../core/switching/decision.ts'
import type { Done } from './dialplan.ts'

/** What the core decided, in the words of the dialplan. */
export const decidedSteps = (slug: string, decision: CallDecision): string[] =>
  decision.refusal === null ? decision.targets.map(target => inWords(slug, target, decision.maxSeconds)) : []

function inWords(slug: string, target: Target, maxSeconds: number | null): string {
  if (target.to === 'extension') {
    const id = `PJSIP/${slug}-${target.extension.number}`
    const all = target.extension.devices === 1 ? id : `${id}/sip:contact&${id}/sip:other`
    return `Dial ${all} ${target.rings}`
  }
  if (target.to === 'queue') return `Queue ${slug}-${target.queue.number} ${target.queue.timeout}`
  if (target.to === 'voicemail') return `VoiceMail ${target.extension.number}@tenant-${slug}`
  if (target.to === 'mailbox') return `VoiceMailMain ${target.extension.number}@tenant-${slug}`
  const length = maxSeconds === null ? '' : ` for ${maxSeconds}`
  return `Dial PJSIP/${target.number}@_${target.trunk.name} as ${target.caller ?? 'anonymous'}${length}`
}

/** What the dialplan did, in the same words. */
export function renderedStep({ app, args }: Done): string {
  if (app === 'Queue') return args.replace(/^([^,]+),ib\(tl-phone\^s\^1\),,,(\d+)$/, 'Queue $1 $2')
  if (app === 'VoiceMailMain') return args.replace(/^([^,]+),s$/, 'VoiceMailMain $1')
  if (app === 'VoiceMail') return args.replace(/^([^,]+),u$/, 'VoiceMail $1')
  const out = /^(.*),\d+,ib\(tl-caller\^([^^]+)\^1\)(?:L\((\d+)000\))?$/.exec(args)
  if (out) return `Dial ${out[1]} as ${out[2]}${out[3] ? ` for ${out[3]}` : ''}`
  return args.replace(/^([^,]+),(\d+),ib\(tl-phone\^s\^1\)$/, 'Dial $1 $2')
}

/** The number of calls in each group that the dialplan counts. */
export function groupsOf(calls: readonly LiveCall[]): Map<string, number> {
  const groups = new Map<string, number>()
  const add = (group: string): unknown => groups.set(group, (groups.get(group) ?? 0) + 1)
  for (const { tenant, extension: number, direction, trunk: name } of calls) {
    add(`${tenant}@tl_tenant`)
    if (number) add(`${tenant}-${number}@tl_extension`)
    if (direction === 'outbound') {
      add(`${tenant}@tl_out`)
      if (number) add(`${tenant}-${number}@tl_out_extension`)
    }
    if (name) add(`${name}@tl_trunk`)
  }
  return groups
}
