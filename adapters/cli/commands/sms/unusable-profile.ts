import { nearest } from '../../../../core/nearest.ts'
import type { Profiles } from '../../../../core/ports/messaging/profiles.ts'
import type { Row } from '../../../../core/resources/resource.ts'
import type { Unread } from '../../../../core/resources/values/unread.ts'
import { gatewayOptions } from '../../../../core/sms/gateway-options.ts'
import type { Profile } from '../../../../core/sms/profiles/schema.ts'

/** Fields of a gateway that a profile names so; all other values are in `meta.account`. */
export const MEMBERS: Readonly<Record<string, string>> = {
  username: 'username',
  password: 'password',
  token: 'callback_token',
  server_host: 'server_host',
}

/** Returns why a gateway's profile could not be used: it does not exist, or the gateway lacks a value for it. */
export function unusableProfile(profiles: Profiles, { meta }: Row): Unread[] {
  const { profile, account } = gatewayOptions(typeof meta === 'string' ? meta : null)
  if (profile === null) return []
  const found = profiles.named(profile)
  if ('profile' in found)
    return needed(found.profile)
      .filter(key => !account[key])
      .map(key => ({ field: 'meta', path: ['account', key], problem: `is missing: the profile ${profile} needs it` }))
  const usable = profiles.all().flatMap(each => ('profile' in each ? each.name : []))
  const meant = nearest(profile, usable)
  const problem = 'is not the name of a profile that can be used'
  return [{ field: 'meta', path: ['profile'], problem, ...(meant === null ? {} : { meant: { value: meant } }) }]
}

const needed = ({ account }: Profile): string[] =>
  account.flatMap(({ key, optional, fallback, same }) =>
    key in MEMBERS || key === 'max_parts' || optional || fallback !== undefined || same !== undefined ? [] : [key],
  )
