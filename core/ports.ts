/** What the core needs of the world. Every call is one atomic step: when its promise resolves, what it did is on disk. */

export * from './ports/accounts.ts'
export * from './ports/audit.ts'
export * from './ports/bulk.ts'
export * from './ports/calls.ts'
export * from './ports/messages.ts'
export * from './ports/records.ts'
export * from './ports/system.ts'
