import { isAnswered } from '../../../core/calls/completed-call.ts'
import type { CallId, CallMarks, IdentifiedCall, KnownCall, StoredCall } from '../../../core/calls/identity.ts'
import type { Connection } from '../database/database.ts'

/** Separates an id and a name. It sorts before other characters of ids, so that one lookup finds every switch's. */
const BEFORE_NAME = '\t'
const AFTER_NAMES = '\n'

/** Returns the key of a stored call: the switch's id, followed by the switch's name if known. */
export const keyOf = ({ switchCallId, switchName }: Pick<IdentifiedCall, 'switchCallId' | 'switchName'>): string =>
  switchName ? switchCallId + BEFORE_NAME + switchName : switchCallId

/** The SQL of the parts of the key in a column. */
export function partsOfKey(column: string): { readonly id: string; readonly switchName: string } {
  const end = `instr(${column} || char(${BEFORE_NAME.charCodeAt(0)}), char(${BEFORE_NAME.charCodeAt(0)}))`
  return { id: `substr(${column}, 1, ${end} - 1)`, switchName: `nullif(substr(${column}, ${end} + 1), '')` }
}

/** Separates a channel's id from what distinguishes its attempts; and the next character. */
const BEFORE_ATTEMPT = '/'
const AFTER_ATTEMPTS = '0'

/** Returns the call's id if it differs from its channel's, which its key begins with. */
export const linkedIdOf = ({ attempt }: KnownCall): string | null =>
  attempt && attempt.callId !== attempt.channelId ? attempt.callId : null

interface KeyRow extends CallMarks {
  readonly cdrId: number
  readonly key: string
  readonly linkedId: string | null
  readonly disposition: string
}

const STORED = `
  SELECT r.cdr_id AS cdrId, r.switch_call_id AS key, r.linked_id AS linkedId,
    c.tenant_id, c.started_at, c.destination_number, c.disposition
  FROM cdr_ratings r JOIN cdrs c ON c.id = r.cdr_id`
const BY_KEY = `${STORED} WHERE r.source = ? AND r.switch_call_id >= ? AND r.switch_call_id < ?`

type CallFinder = (call: CallId) => readonly StoredCall[]

/**
 * Finds, within one transaction, the stored calls that have the id of a call of the same kind of switch, or are
 * attempts of the same call. If no stored call is linked to another, as on most switches, it does not search by links.
 */
export function callFinder({ query, value }: Connection): () => CallFinder {
  const withId = query<string[], KeyRow>(BY_KEY)
  const linkedTo = query<string[], KeyRow>(`${STORED} WHERE r.linked_id = ? AND r.source = ?`)
  const hasLinks = value<[], number>('SELECT 1 FROM cdr_ratings WHERE linked_id IS NOT NULL LIMIT 1')
  return () => {
    const isLinked = hasLinks.get() === 1
    const attemptsOf = (source: string, id: string): KeyRow[] => {
      const ofChannel = withId.all(source, id + BEFORE_ATTEMPT, id + AFTER_ATTEMPTS)
      return isLinked ? ofChannel.concat(linkedTo.all(id, source)) : ofChannel
    }
    return ({ source, switchCallId, attempt }) => {
      if (!attempt) return withId.all(source, switchCallId, switchCallId + AFTER_NAMES).map(storedCall)
      const ofChannel = attemptsOf(source, attempt.channelId)
      if (attempt.callId === attempt.channelId) return ofChannel.map(storedCall)
      const both = new Map([...ofChannel, ...attemptsOf(source, attempt.callId)].map(row => [row.cdrId, row]))
      return [...both.values()].map(storedCall)
    }
  }
}

function storedCall({ cdrId, key, linkedId, disposition, ...marks }: KeyRow): StoredCall {
  const [switchCallId = '', switchName = ''] = key.split(BEFORE_NAME)
  const channelId = switchCallId.slice(0, Math.max(0, switchCallId.lastIndexOf(BEFORE_ATTEMPT)))
  const attempt = { channelId, callId: linkedId ?? channelId }
  return {
    cdrId,
    switchCallId,
    switchName: switchName || null,
    marks,
    isAnswered: isAnswered({ disposition }),
    attempt,
  }
}
