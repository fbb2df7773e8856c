import { asteriskParser } from './asterisk.ts'

const COLUMNS = [
  ...['accountcode', 'src', 'dst', 'dcontext', 'clid', 'channel', 'dstchannel', 'lastapp', 'lastdata'],
  ...['start', 'answer', 'end', 'duration', 'billsec', 'disposition', 'amaflags'],
  ...['uniqueid', 'userfield', 'peeraccount', 'linkedid', 'sequence'],
]

/** Rows of `cdr_csv`: 16 columns, 17 with the uniqueid, 18 with the user field, 21 with peer, linked id and sequence. */
export const parseAsteriskCsv = asteriskParser('asterisk-csv', COLUMNS, [16, 17, 18, 21])
