import { accessSync, constants } from 'node:fs'
import { isJsonObject } from '../../../core/json.ts'
import { tenants } from '../../../core/resources/tenants.ts'
import { cell } from '../columns.ts'
import { quoted } from '../command-line.ts'
import type { Check } from './check.ts'

/** Call records that are to be followed and cannot be. */
export const feeds: Check = {
  about: 'feeds of call records',
  async *examine(patient) {
    const declared: readonly unknown[] = Array.isArray(patient.settings['feeds']) ? patient.settings['feeds'] : []
    const { records } = await patient.open()
    for (const feed of declared.filter(isJsonObject)) {
      const path = cell(feed['path'])
      const tenant = cell(feed['tenant'])
      if (!isReadable(path))
        yield {
          kind: 'feed_unreadable',
          finding: `the call records of ${path} cannot be read`,
          fix: `ls -l ${quoted(path)}`,
        }
      if (tenant !== '' && (await records.identify(tenants, { slug: tenant })).length === 0)
        yield {
          kind: 'feed_tenant',
          finding: `the feed of ${path} is for a tenant ${tenant} that is not there`,
          fix: `trunkline tenant create --slug ${quoted(tenant)}`,
        }
    }
  },
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
