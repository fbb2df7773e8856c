import { AppError } from '../../../core/errors.ts'
import type { CallDecision, PutThrough, Refusal, Target } from '../../../core/switching/decision.ts'
import type { SwitchTenant } from '../../../core/switching/directory.ts'
import { ASKED } from '../guards.ts'
import { gatewayOf, phoneName, queueName } from '../names.ts'
import { documentOf, type Element, element } from './xml.ts'

/** An application that a channel runs, with its data. */
export interface Action {
  readonly application: string
  readonly data: string
}

const FIT = /^[A-Za-z0-9+*#_.@:-]{0,300}$/

/**
 * The data of an application. FreeSWITCH evaluates `${…}`, and commas and brackets have a meaning: inserted values
 * must match a strict pattern.
 */
function data(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  const unfit = values.find(value => !FIT.test(String(value)))
  if (unfit !== undefined)
    throw new AppError('internal', `${JSON.stringify(unfit)} must not stand in the data of a dialplan.`)
  return String.raw({ raw: texts }, ...values)
}

const action = (application: string, text = ''): Action => ({ application, data: text })
const set = (text: string): Action => action('set', text)

const NOT_FOUND = '404 Not Found'
const FORBIDDEN = '403 Forbidden'
const UNAVAILABLE = '503 Service Unavailable'

/** The SIP response to each refusal; 403 for the others. */
const RESPONSES: Readonly<Partial<Record<Refusal, string>>> = {
  'unfit number': NOT_FOUND,
  'unknown number': NOT_FOUND,
  'unknown extension': NOT_FOUND,
  'unknown queue': NOT_FOUND,
  'queue not active': NOT_FOUND,
  'unknown DID': NOT_FOUND,
  'DID not active': NOT_FOUND,
  'no voicemail': NOT_FOUND,
  'no route': NOT_FOUND,
  'no trunk': UNAVAILABLE,
}

/** A call to decide, as the switch knows it. */
export interface Placed {
  /** Null if no tenant is known. */
  readonly tenant: SwitchTenant | null
  /** The extension that placed the call; null for a call from a carrier. */
  readonly extension: string | null
  /** True if the channel has a record to keep. */
  readonly isContinued: boolean
  /** True if the channel is a leg to a carrier. */
  readonly isCarriers: boolean
  /** The key of the gateways' marks. */
  readonly key: string
}

/** Returns what the channel does next; see {@link documentOfCall}. */
export function actionsOf(decision: CallDecision, placed: Placed): readonly Action[] {
  const { tenant, isContinued } = placed
  // Otherwise every scanner leaves a record without a tenant.
  const unrecorded = isContinued ? [] : [set('process_cdr=false')]
  if (decision.refusal !== null || !tenant) {
    const response = decision.refusal === null ? FORBIDDEN : (RESPONSES[decision.refusal] ?? FORBIDDEN)
    return [...unrecorded, action('respond', response), action('hangup', 'CALL_REJECTED')]
  }
  return [
    ...described(decision, tenant, placed),
    ...(decision.direction === 'outbound'
      ? [...unrecorded, ...outside(decision, tenant, placed)]
      : inside(decision, tenant, placed)),
  ]
}

/** Returns the answer to a lookup: the requested context, with what the channel does. */
export const documentOfCall = (context: string, actions: readonly Action[]): string =>
  documentOf('dialplan', [
    element('context', { name: context }, [
      element('extension', { name: 'trunkline' }, [element('condition', {}, actions.map(actionElement))]),
    ]),
  ])

const actionElement = ({ application, data: text }: Action): Element =>
  element('action', { application, ...(text === '' ? {} : { data: text }) })

/**
 * Returns what `show channels` reports about a call later; see `channels.ts`. A DID may be written with blanks and
 * brackets.
 */
const markOf = (
  { slug }: SwitchTenant,
  { direction, number }: PutThrough,
  extension: string | null,
  trunk: string,
): string =>
  data`presence_data=trunkline:${slug}:${direction}:${extension ?? ''}:${trunk}:${number.replaceAll(/[^0-9+*#]/g, '')}`

/** Returns the variables for the channel, its record and whoever examines it. */
function described(decision: PutThrough, tenant: SwitchTenant, { extension, isCarriers }: Placed): Action[] {
  const { direction } = decision
  const call = [
    set(data`accountcode=${tenant.slug}`),
    set(data`call_direction=${direction === 'outbound' ? 'outbound' : 'inbound'}`),
    set(data`trunkline_call=${direction}`),
    set(markOf(tenant, decision, extension, '')),
  ]
  return [
    // The carrier goes on charging for its leg.
    ...(isCarriers ? [] : call),
    set(data`force_transfer_context=t-${tenant.slug}`),
    ...(extension === null
      ? []
      : [
          // For the legs that it calls.
          action('export', data`trunkline_placer=${phoneName(tenant, { number: extension })}`),
          // Nobody checks what a phone writes into From.
          action('set_profile_var', data`caller_id_number=${extension}`),
        ]),
    set('hangup_after_bridge=true'),
    set(ASKED),
  ]
}

/** Causes that mean a carrier did not take a call, so that the next one is tried; not causes of the number itself. */
const NOT_TAKEN = [
  ...['NETWORK_OUT_OF_ORDER', 'DESTINATION_OUT_OF_ORDER', 'NORMAL_TEMPORARY_FAILURE', 'NORMAL_UNSPECIFIED'],
  ...['NORMAL_CIRCUIT_CONGESTION', 'SWITCH_CONGESTION', 'REQUESTED_CHAN_UNAVAIL', 'SERVICE_UNAVAILABLE'],
  ...['SERVICE_NOT_IMPLEMENTED', 'FACILITY_REJECTED', 'FACILITY_NOT_IMPLEMENTED', 'CALL_REJECTED'],
  ...['GATEWAY_DOWN', 'INVALID_GATEWAY', 'INVALID_PROFILE', 'RECOVERY_ON_TIMER_EXPIRE', 'PROGRESS_TIMEOUT'],
  ...['OUTGOING_CALL_BARRED', 'BEARERCAPABILITY_NOTAVAIL', 'INTERWORKING', 'PROTOCOL_ERROR'],
]

/** Seconds in which a carrier must report ringing, and in which the call must be answered. */
const PROGRESS_SECONDS = 20
const RING_SECONDS = 90

function outside(decision: PutThrough, tenant: SwitchTenant, placed: Placed): Action[] {
  return [
    set(`continue_on_fail=${NOT_TAKEN.join(',')}`),
    set(`call_timeout=${RING_SECONDS}`),
    // Some carriers bill whom a phone names in P-Charge-Info or Diversion.
    set('sip_copy_custom_headers=false'),
    ...decision.targets.flatMap(target => (target.to === 'trunk' ? [toCarrier(target, decision, tenant, placed)] : [])),
    action('respond', UNAVAILABLE),
    action('hangup', 'NORMAL_TEMPORARY_FAILURE'),
  ]
}

/** The leg to the carrier is the call's record: it continues after the caller has transferred the call and left. */
function toCarrier(
  { trunk, number, caller }: Extract<Target, { to: 'trunk' }>,
  decision: PutThrough,
  tenant: SwitchTenant,
  { extension, key }: Placed,
): Action {
  const { slug } = tenant
  const { number: dialled, maxSeconds } = decision
  const codecs = trunk.codecs.map(codec => data`${codec}`).join(',')
  const variables = [
    ...['process_cdr=true', 'force_process_cdr=true', 'call_direction=outbound', 'hangup_after_bridge=true'],
    ASKED,
    data`accountcode=${slug}`,
    data`trunkline_dialled=${dialled}`,
    data`trunkline_extension=${extension ?? ''}`,
    data`trunkline_phone=${extension ?? ''}@${slug}`,
    data`force_transfer_context=t-${slug}`,
    markOf(tenant, decision, extension, trunk.name),
    `progress_timeout=${PROGRESS_SECONDS}`,
    // A carrier does not choose where a call goes.
    'outbound_redirect_fatal=true',
    ...(caller === null
      ? ['origination_caller_id_number=anonymous', 'origination_privacy=hide_name:hide_number']
      : [data`origination_caller_id_number=${caller}`]),
    data`origination_caller_id_name=${caller ?? 'anonymous'}`,
    ...(codecs === '' ? [] : [`absolute_codec_string='${codecs}'`]),
    ...(maxSeconds === null ? [] : [data`execute_on_answer='sched_hangup +${maxSeconds} ALLOTTED_TIMEOUT'`]),
  ]
  return action('bridge', `{${variables.join(',')}}${data`sofia/gateway/${gatewayOf(trunk, key)}/${number}`}`)
}

/** Calls each target in turn; if the last one does not take the call, it ends with that target's cause. */
const inside = ({ targets }: PutThrough, tenant: SwitchTenant, { extension }: Placed): Action[] =>
  targets.flatMap((target, index) => [
    ...(extension === null ? [set(`trunkline_phone=${mayForward(target, tenant)}`)] : []),
    ...toPlace(target, tenant, index === targets.length - 1),
  ])

/** A carrier's call that a telephone forwards becomes the call of that telephone. */
const mayForward = (target: Target, tenant: SwitchTenant): string =>
  target.to === 'extension' ? data`${phoneName(tenant, target.extension)}` : ''

function toPlace(target: Target, tenant: SwitchTenant, isLast: boolean): Action[] {
  switch (target.to) {
    case 'extension':
      return [
        set(`continue_on_fail=${!isLast}`),
        set(data`call_timeout=${target.rings}`),
        action('bridge', data`user/${target.extension.number}@${tenant.domain}`),
      ]
    case 'queue':
      return [action('callcenter', data`${queueName(tenant, target.queue)}`)]
    case 'voicemail':
      return [action('answer'), action('voicemail', data`default ${tenant.domain} ${target.extension.number}`)]
    case 'mailbox':
      return [
        ...[action('answer'), set('voicemail_authorized=true'), set(data`voicemail_callback_context=t-${tenant.slug}`)],
        action('voicemail', data`check default ${tenant.domain} ${target.extension.number}`),
      ]
    case 'trunk':
      return []
  }
}
