import { follow } from './follow.ts'
import { detectFormat } from './formats/detect.ts'
import { ingest } from './ingest.ts'
import { readRecord } from './records.ts'

/** A followed file or folder of call records. */
export type Follower = ReturnType<typeof follow>

/** Everything that the programs use of this adapter. */
export const pbx = { readRecord, detectFormat, ingest, follow }
