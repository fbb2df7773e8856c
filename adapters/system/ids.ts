import { randomBytes, randomUUID } from 'node:crypto'
import type { Ids } from '../../core/ports/system.ts'

export const randomIds = (): Ids => ({
  uuid: () => randomUUID(),
  password: () => randomBytes(15).toString('base64url'),
})
