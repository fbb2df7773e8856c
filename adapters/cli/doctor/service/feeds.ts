import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isJsonObject } from '../../../../core/json.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { quoted } from '../../command-line.ts'
import { cell } from '../../terminal/json-values.ts'
import type { Check, Finding } from '../check.ts'

/** Finds call records that should be followed but cannot be. */
export const feeds: Check = {
  about: 'feeds of call records',
  async *examine(patient) {
    const declared: readonly unknown[] = Array.isArray(patient.settings['feeds']) ? patient.settings['feeds'] : []
    const { records } = await patient.open()
    for (const feed of declared.filter(isJsonObject)) {
      const path = cell(feed['path'])
      const tenant = cell(feed['tenant'])
      yield* troubleAt(path, cell(feed['format']))
      if (tenant !== '' && (await records.identify(tenants, { slug: tenant })).length === 0)
        yield {
          kind: 'feed_tenant',
          finding: `the feed of ${path} is for tenant ${tenant}, which does not exist`,
          fix: `trunkline tenant create --slug ${quoted(tenant)}`,
        }
    }
  },
}

function* troubleAt(path: string, format: string): Iterable<Finding> {
  const found = statOf(path)
  if (found === undefined)
    yield {
      kind: 'feed_missing',
      finding: `there is nothing at ${path}, a feed of call records`,
      fix: `ls -l ${quoted(dirname(path))}`,
    }
  else if (!isReadable(path))
    yield {
      kind: 'feed_unreadable',
      finding: `the call records of ${path} cannot be read`,
      fix: `ls -l ${quoted(path)}`,
    }
  else if (found?.isDirectory() && !OF_FOLDERS.has(format))
    yield {
      kind: 'feed_folder',
      finding: `${path} is a folder, but only ${[...OF_FOLDERS].join(' or ')} can be read from a folder, not ${format}`,
      fix: `ls -l ${quoted(path)}`,
    }
}

/** The formats with one file for each record. */
const OF_FOLDERS = new Set(['freeswitch-json', 'auto'])

/** Returns undefined if nothing is there, null if this user may not look. */
function statOf(path: string): Stats | null | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return null
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
