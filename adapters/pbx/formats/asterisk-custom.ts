import { asteriskParser } from './asterisk.ts'

const COLUMNS = [
  ...['clid', 'src', 'dst', 'dcontext', 'channel', 'dstchannel', 'lastapp', 'lastdata'],
  ...['start', 'answer', 'end', 'duration', 'billsec', 'disposition', 'amaflags'],
  ...['accountcode', 'uniqueid', 'userfield', 'sequence'],
]

/** Rows of `cdr_custom` in the order of the sample configuration: 19 columns, in older ones 18 without the sequence. */
export const parseAsteriskCustom = asteriskParser('asterisk-custom', COLUMNS, [18, 19])
