import { userInfo } from 'node:os'
import type { Services } from '../adapters/cli/context.ts'
import { ingest } from '../adapters/pbx/ingest.ts'
import { readRecord } from '../adapters/pbx/records.ts'
import type { Settings } from '../config/settings.ts'
import { compose } from './compose.ts'
import { withPresentRules } from './feeds.ts'

/** The use cases and ports for one command, on the settings' database. Throws AppError. */
export function openServices(
  settings: Settings,
  opening: { create?: boolean; migrate?: boolean },
): Services & { close(): Promise<void> } {
  const baseUrl = settings.base_url ?? `http://${settings.host}:${settings.port}`
  const { storage, ...rest } = compose(settings, () => baseUrl, {
    ...opening,
    foldsLog: false,
    actor: { name: userInfo().username, origin: 'command line' },
  })
  const { records, messages, accounts, sessions, maintenance, bulk, calls, audit } = storage
  return {
    ...rest,
    records,
    messages,
    accounts,
    sessions,
    maintenance,
    bulk,
    calls: withPresentRules(calls, settings.feeds),
    audit,
    ingest: (source, ingesting) => ingest(source, ingesting, calls),
    readRecord,
  }
}
