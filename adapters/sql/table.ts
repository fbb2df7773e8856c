/** Returns the table of a resource's records by the resource's name; here the two are the same. */
export const tableOf = (resource: string): string => resource
