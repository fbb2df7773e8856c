/** The table of a resource's records, by the name of the resource; both names are the same here. */
export const tableOf = (resource: string): string => resource
