import type { Timestamp } from '../dates.ts'
import type { Receive } from '../ports/messaging/messages.ts'
import type { Profiles } from '../ports/messaging/profiles.ts'
import { type GatewayOptions, gatewayOptions } from './gateway-options.ts'
import type { Message, Recording, Redact } from './message.ts'
import { receive, settle } from './message-states.ts'
import { receiveByProfile, settleByProfile } from './profiles/profiled-states.ts'
import { REFERENCE_PARAMETER } from './profiles/receipt.ts'
import { providerRequest, refusedText, templateValues } from './profiles/request.ts'
import type { Profile } from './profiles/schema.ts'
import { TOKEN_PARAMETER } from './profiles/verify-sender.ts'
import type { GatewayReply } from './reply.ts'
import { type Gateway, originOf, receiptUrl, type Submission, submission } from './submission.ts'
import type { TextForm } from './text.ts'

/** How messages and receipts pass through a gateway: by its provider's profile, or as documented without one. */
export interface GatewayProtocol {
  readonly options: GatewayOptions
  readonly profile: Profile | null
  /** Why the gateway cannot be used: the profile that it names is missing or wrong. Otherwise null. */
  readonly problem: string | null
}

/** `meta` is the gateway's, JSON text or null. */
export function protocolOf(meta: string | null, profiles: Profiles): GatewayProtocol {
  const options = gatewayOptions(meta)
  const found = options.profile === null ? { profile: null } : profiles.named(options.profile)
  return 'problem' in found
    ? { options, profile: null, problem: found.problem }
    : { options, profile: found.profile, problem: null }
}

/** Returns why a text would not arrive unchanged; null if it would, as far as is known. */
export const refusal = ({ profile, options }: GatewayProtocol, text: string, form: TextForm): string | null =>
  profile && refusedText(profile, text, form, options.maxParts ?? undefined)

/** Returns our reference for a message: a new one, or the record's id if the provider takes only a number. */
export function referenceOf({ profile, options }: GatewayProtocol, id: number, uuid: string): string | null {
  if (profile) return profile.request.reference === 'id' ? String(id) : uuid
  return options.sendsReference ? uuid : null
}

/** Returns where the gateway sends receipts: those of all its messages (null), or of one. */
export function receiptUrlFor(
  baseUrl: string,
  gateway: Gateway,
  protocol: GatewayProtocol,
  reference: string | null,
): string {
  const { profile, options } = protocol
  const url = profile ? `${baseUrl}/api/sms-gateways/${gateway.id}/dlr` : receiptUrl(baseUrl, gateway, options)
  const isSecret = profile?.sender.some(({ kind }) => kind === 'url') && gateway.callback_token
  const parameters = new URLSearchParams({
    ...(isSecret && gateway.callback_token ? { [TOKEN_PARAMETER]: gateway.callback_token } : {}),
    ...(reference === null ? {} : { [REFERENCE_PARAMETER]: reference }),
  }).toString()
  return parameters === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${parameters}`
}

export function submissionFor(
  protocol: GatewayProtocol,
  message: Message,
  gateway: Gateway,
  form: TextForm,
): Submission {
  const { profile, options } = protocol
  if (!profile) return submission(message, gateway, options)
  const outgoing = { ...message, reference: message.reference ?? message.external_message_id }
  const values = templateValues(profile, outgoing, gateway, options.account)
  return { ...providerRequest(profile, originOf(gateway), values, form), caFile: options.caFile }
}

export const settling =
  ({ profile }: GatewayProtocol, reply: GatewayReply, recording: Recording) =>
  (message: Message): Message =>
    profile ? settleByProfile(message, profile, reply, recording) : settle(message, reply, recording)

export const receiving =
  ({ profile, options }: GatewayProtocol, redact: Redact, now: () => Timestamp): Receive =>
  (message, receipt) => {
    const recording = { redact, now: now() }
    return profile
      ? receiveByProfile(message, profile, receipt, recording)
      : receive(message, receipt, options, recording)
  }
