import { userInfo } from 'node:os'
import type { Wiring } from '../adapters/cli/cli.ts'
import { files } from '../adapters/files/files.ts'
import { pbx } from '../adapters/pbx/pbx.ts'
import { system } from '../adapters/system/system.ts'
import type { Settings } from '../config/settings.ts'
import type { Actor } from '../core/audit.ts'
import { lookup } from '../core/use-cases/records/lookup.ts'
import { prefixRouting } from '../core/use-cases/records/prefix-routing.ts'
import { compose } from './compose.ts'
import { withPresentRules } from './feeds.ts'
import { urlAt } from './own-address.ts'
import { bulkOnThread } from './threaded.ts'

/** Not every user has an entry in the system's user database. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** Opens the use cases and ports for one command, on the settings' database. Throws AppError. */
export async function openServices(
  settings: Settings,
  { expectsMany, ...opening }: Parameters<Wiring['open']>[1],
): ReturnType<Wiring['open']> {
  const baseUrl = settings.base_url ?? urlAt(settings.host, settings.port)
  const actor: Actor = { name: userName(), origin: 'command line' }
  const { storage, close, ...rest } = await compose(settings, () => baseUrl, {
    ...{ ...opening, foldsLog: false, actor },
  })
  const { records, messages, maintenance, calls, audit, notices, smsReports } = storage
  const { smsRoutes, trunkRoutes } = storage
  const { bulk, prepare, close: endThread } = bulkOnThread(storage, settings, actor)
  if (expectsMany) prepare()
  return {
    ...rest,
    roles: settings.roles,
    records: lookup(records),
    messages,
    smsRoutes: prefixRouting(smsRoutes),
    trunkRoutes: prefixRouting(trunkRoutes),
    switchDirectory: storage.switchDirectory,
    smsReports,
    maintenance,
    notices,
    bulk,
    calls: withPresentRules(calls, settings.feeds),
    audit,
    ingest: (source, ingesting) => pbx.ingest(source, ingesting, calls),
    readRecord: pbx.readRecord,
    openText: files.openText,
    digestOf: system.digestOf,
    close: async () => {
      await endThread()
      await close()
    },
  }
}
