import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isJsonObject } from '../../../../core/json.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { quoted } from '../../command-line.ts'
import { failingFeeds } from '../../daemon-metrics.ts'
import { cell } from '../../terminal/json-values.ts'
import type { Check, Finding, Patient } from '../check.ts'

/** Finds call records that should be followed but cannot be. */
export const feeds: Check = {
  about: 'feeds of call records',
  async *examine(patient) {
    const declared: readonly unknown[] = Array.isArray(patient.settings['feeds']) ? patient.settings['feeds'] : []
    const { records } = await patient.open()
    for (const feed of declared.filter(isJsonObject)) {
      const path = cell(feed['path'])
      const tenant = cell(feed['tenant'])
      yield* path === recordsOfAsterisk(patient) && isAwaited(path)
        ? [awaited(path)]
        : troubleAt(path, cell(feed['format']))
      if (tenant !== '' && (await records.identify(tenants, { slug: tenant })).length === 0)
        yield {
          kind: 'feed_tenant',
          finding: `the feed of ${path} is for tenant ${tenant}, which does not exist`,
          fix: `trunkline tenant create --slug ${quoted(tenant)}`,
        }
    }
  },
}

/** Finds call records of Asterisk that would never be there; a feed with problems of its own is for `feeds`. */
export const asteriskRecords: Check = {
  about: 'the call records of the switch',
  async *examine(patient) {
    const path = recordsOfAsterisk(patient)
    if (path !== null && !isAwaited(path)) yield* troubleAt(path, 'asterisk-csv')
  },
}

/** Finds feeds that the daemon cannot take in, though whoever runs this may be able to read them. */
export const failing: Check = {
  about: 'the call records that the daemon stores',
  async *examine(patient) {
    for (const name of failingFeeds(await patient.metrics()))
      yield {
        kind: 'feed_failing',
        finding: `the daemon cannot store the call records of ${name}: its log says why, such as that its user may not read them`,
        fix: `ls -l ${quoted(name)}`,
      }
  },
}

/** Returns the file to which the Asterisk in the settings writes its records; null if they name none. */
function recordsOfAsterisk({ settings: { asterisk } }: Patient): string | null {
  const path = isJsonObject(asterisk) ? asterisk['cdr_file'] : null
  return typeof path === 'string' ? path : null
}

/** True until Asterisk has made the file, in a folder that is there. */
const isAwaited = (path: string): boolean => statOf(path) === undefined && Boolean(statOf(dirname(path))?.isDirectory())

const awaited = (path: string): Finding => ({
  ...{ kind: 'feed_awaited', severity: 'warning' },
  finding: `there is nothing at ${path} yet: Asterisk makes it at the end of the first call`,
  fix: `ls -l ${quoted(dirname(path))}`,
})

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
