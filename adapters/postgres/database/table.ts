/** The table that stores a resource's records: here it has the resource's name. */
export const tableOf = (resource: string): string => resource
