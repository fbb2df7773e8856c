import type { HttpGatewayClient } from '../adapters/gateway/client.ts'
import { system } from '../adapters/system/system.ts'
import type { Passwords } from '../core/ports/accounts.ts'

/** Loads on first use what takes long and is seldom needed; after a failure, it tries again. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | null = null
  return () => {
    loaded ??= load().catch(error => {
      loaded = null
      throw error
    })
    return loaded
  }
}

export function lazyPasswords(): Passwords {
  const passwords = once(system.passwords)
  return {
    hash: async password => (await passwords()).hash(password),
    verify: async (hash, password) => (await passwords()).verify(hash, password),
  }
}

export function lazyGatewayClient(options: { timeoutSeconds: number; caFile: string | null }): HttpGatewayClient {
  let used = false
  const client = once(async () => (await import('../adapters/gateway/client.ts')).httpGatewayClient(options))
  return {
    submit: async (submission, within) => {
      used = true
      return (await client()).submit(submission, within)
    },
    close: async () => {
      if (used) await (await client()).close()
    },
  }
}
