/** A database is named by the path of a file, or by the address of a server: `postgres://user@host/database`,
 * `citus://…` for a cluster. */
export const isServerAddress = (database: string): boolean => /^(?:postgres(?:ql)?|citus):\/\//i.test(database)

/** Returns whether an address contains a password. */
export const hasPassword = (database: string): boolean => withoutPassword(database) !== database

/** Returns the name of a database for display: an address, whether valid or not, without its passwords. */
export const withoutPassword = (database: string): string =>
  isServerAddress(database)
    ? database
        .replace(/^(\w+:\/\/[^:/?@]*):.*@/s, '$1@')
        .replaceAll(/([?&])(?:ssl)?password=[^&]*&?/gi, '$1')
        .replace(/[?&]$/, '')
    : database
