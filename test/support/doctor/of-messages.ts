import { writeFileSync } from 'node:fs'
import { sql, type Trouble } from './trouble.ts'

const messages = (count: number, members: string): string =>
  `INSERT INTO sms_messages (sms_gateway_id, to_number, from_sender, message, external_message_id, direction, callback_url,
     delivery_status, status_class, submitted_at, requested_at, created_at, updated_at)
   WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
   SELECT 1, '1', '1', 'x', i, 'outbound', 'http://x', ${members} FROM n`
const EARLY = "'2026-11-01T00:00:00.000000Z'"

/** Problems of sends through gateways. */
export const OF_MESSAGES: readonly Trouble[] = [
  {
    kind: 'profile_unusable',
    title: 'a gateway whose profile is not there',
    make: sql(`UPDATE sms_gateways SET meta = '{"profile":"nobody"}'`),
    changes: [],
    shows: true,
  },
  {
    kind: 'receipts_unproven',
    title: 'a gateway with a profile that takes receipts from anybody',
    make: async place => {
      writeFileSync(place.path('token.txt'), 'hush\n')
      await sql(`UPDATE sms_gateways SET meta = '{"profile":"kannel"}'`)(place)
    },
    changes: ['sms_gateways 1 callback_token: null → hush'],
  },
  {
    kind: 'gateway_suspect',
    title: 'a gateway whose last sends all failed',
    make: sql('INSERT INTO gateway_failures VALUES (1, 5)'),
    changes: [],
    shows: true,
  },
  {
    kind: 'messages_overdue',
    title: 'messages that nobody has heard of for an hour',
    make: sql(messages(1, `'submitted', 'pending', ${EARLY}, ${EARLY}, ${EARLY}, ${EARLY}`)),
    changes: [],
    shows: true,
  },
]
