import { BARE } from './providers/bare-providers.ts'
import type { Provider } from './providers/provider.ts'
import { SIGNING } from './providers/signing-providers.ts'

export const PROVIDERS: readonly Provider[] = [...BARE, ...SIGNING]

export const providerOf = (profile: string): Provider => {
  const found = PROVIDERS.find(each => each.profile === profile)
  if (!found) throw new Error(`There is no provider ${profile} to play.`)
  return found
}
