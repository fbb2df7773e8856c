import type { Dialling } from '../dialling/read-number.ts'
import type { PrefixRoute } from '../prefix-routes.ts'
import type { LimitSettings } from './limits/limits.ts'

/**
 * A tenant's records that decide who may register and where a call goes: all of them, or only those that one request
 * needs. Inactive records are included, so that a refusal can name them.
 */
export interface TenantDirectory {
  readonly tenant: SwitchTenant
  readonly dialling: Dialling
  readonly limits: LimitSettings
  /** By extension number. */
  readonly extensions: ReadonlyMap<string, SwitchExtension>
  /** By queue number. */
  readonly queues: ReadonlyMap<string, SwitchQueue>
  /** By the digits that `dialling` reads. */
  readonly dids: ReadonlyMap<string, SwitchDid>
  /** All trunks by name, since tenants share them. */
  readonly trunks: ReadonlyMap<string, Trunk>
  /** The tenant's own routes and the shared ones. */
  readonly trunkRoutes: readonly TrunkRoute[]
}

export interface SwitchTenant {
  readonly id: number
  readonly slug: string
  readonly domain: string
  readonly status: string
  /** An IANA name. */
  readonly timezone: string
}

export interface SwitchExtension {
  readonly id: number
  readonly number: string
  readonly displayName: string
  readonly secret: string
  readonly status: string
  readonly hasVoicemail: boolean
  /** The most phones that may be registered at a time: the number of its devices, at least one. */
  readonly devices: number
}

export interface SwitchQueue {
  readonly id: number
  readonly number: string
  readonly name: string
  readonly strategy: string
  /** Seconds. */
  readonly timeout: number
  readonly status: string
  /** Lowest penalty first. */
  readonly agents: readonly { readonly extension: string; readonly penalty: number }[]
}

export interface SwitchDid {
  readonly id: number
  readonly tenantId: number
  /** As written in the record. */
  readonly number: string
  /** The record's `provider`: the name of the trunk that delivers its calls, if a trunk has that name. */
  readonly provider: string
  readonly status: string
  /** In the order to try. */
  readonly targets: readonly { readonly type: 'extension' | 'queue'; readonly number: string }[]
}

/** A carrier, as the records of the resource `trunks` declare it. */
export interface Trunk {
  readonly id: number
  readonly name: string
  readonly host: string
  readonly port: number
  readonly transport: 'udp' | 'tcp' | 'tls'
  readonly username: string | null
  readonly secret: string | null
  readonly registers: boolean
  /** How numbers are written to the carrier: `+380…`, `380…`, or as dialled in the country. */
  readonly numberForm: 'e164' | 'digits' | 'national'
  /** The codecs to offer, preferred first; empty for the switch's choice. */
  readonly codecs: readonly string[]
  /** null: no limit. */
  readonly maxCalls: number | null
  readonly status: string
}

/** The trunks for outgoing calls to numbers with a prefix. */
export interface TrunkRoute extends PrefixRoute {
  readonly id: number
  /** Names, in the order to try. */
  readonly trunks: readonly string[]
}
