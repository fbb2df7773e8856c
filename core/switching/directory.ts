import type { Dialling } from '../dialling/dialling.ts'
import type { PrefixRoute } from '../prefix-routes.ts'
import type { LimitSettings } from './limits/limits.ts'

/**
 * What of one tenant decides on its calls and registrations: all of it, or only the records that one request is about.
 * Records of every status are in it, so that a refusal can name the one that is not active.
 */
export interface TenantDirectory {
  readonly tenant: SwitchTenant
  readonly dialling: Dialling
  readonly limits: LimitSettings
  /** By extension number. */
  readonly extensions: ReadonlyMap<string, SwitchExtension>
  /** By queue number. */
  readonly queues: ReadonlyMap<string, SwitchQueue>
  /** By the digits of the number as `dialling` reads it. */
  readonly dids: ReadonlyMap<string, SwitchDid>
  /** All trunks, since tenants share them; by name. */
  readonly trunks: ReadonlyMap<string, Trunk>
  /** Those of the tenant and those of all tenants. */
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
  /** How many telephones may register at a time: as many as it has devices, and at least one. */
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
  /** The lowest penalty first. */
  readonly agents: readonly { readonly extension: string; readonly penalty: number }[]
}

export interface SwitchDid {
  readonly id: number
  readonly tenantId: number
  /** As it is written in the record. */
  readonly number: string
  /** What is written in its `provider`: the name of the trunk that its calls come from, where there is one of that name. */
  readonly provider: string
  readonly status: string
  /** In the order in which they are tried. */
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
  /** How callers and called numbers are written to the carrier: `+380…`, `380…`, or as the country dials it. */
  readonly numberForm: 'e164' | 'digits' | 'national'
  /** The codecs that are offered, the preferred one first; empty for the switch's own choice. */
  readonly codecs: readonly string[]
  /** null: no limit. */
  readonly maxCalls: number | null
  readonly status: string
}

/** The trunks that numbers beginning so go out through. */
export interface TrunkRoute extends PrefixRoute {
  readonly id: number
  /** Names, the first tried first. */
  readonly trunks: readonly string[]
}
