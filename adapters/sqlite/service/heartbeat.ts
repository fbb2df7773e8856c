import type { Clock } from '../../../core/ports/system.ts'
import type { Heartbeat } from '../../../core/ports/upkeep.ts'
import type { Connection } from '../database/database.ts'
import type { Writer } from '../database/writer.ts'

export const heartbeat = ({ query }: Connection, writer: Writer, clock: Clock): Heartbeat => ({
  beat: () =>
    writer.write(() => {
      const now = clock.now()
      query<[string], unknown>('INSERT OR REPLACE INTO heartbeat (id, beaten_at) VALUES (1, ?)').run(now)
      return now
    }),
})
