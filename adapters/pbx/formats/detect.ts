import { SOURCE_FORMATS, type SourceFormat } from '../../../core/calls/completed-call.ts'
import type { RecordRule } from '../record-splitter.ts'
import { parseAsteriskCsv } from './asterisk-csv.ts'
import { parseAsteriskCustom } from './asterisk-custom.ts'
import { parseFreeswitchCsv } from './freeswitch-csv.ts'
import { parseFreeswitchJson } from './freeswitch-json.ts'
import { parseNdjson } from './ndjson.ts'
import type { Parser } from './parser.ts'

export interface Format {
  readonly parse: Parser
  readonly rule: RecordRule
}

export const formats: Readonly<Record<SourceFormat, Format>> = {
  'asterisk-csv': { parse: parseAsteriskCsv, rule: 'quoted' },
  'asterisk-custom': { parse: parseAsteriskCustom, rule: 'quoted' },
  'freeswitch-csv': { parse: parseFreeswitchCsv, rule: 'line' },
  'freeswitch-json': { parse: parseFreeswitchJson, rule: 'line' },
  ndjson: { parse: parseNdjson, rule: 'line' },
}

/**
 * Returns the format of a file by its first whole record; null if no parser can read it (it may be torn: try the
 * next). At most one can, since each expects dates in other columns, or other members.
 */
export const detectFormat = (record: string): SourceFormat | null =>
  SOURCE_FORMATS.find(format => !('reason' in formats[format].parse(record))) ?? null
