import { randomUUID } from 'node:crypto'
import type { Ids } from '../../core/ports.ts'

export const randomIds = (): Ids => ({ uuid: () => randomUUID() })
