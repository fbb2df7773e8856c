/** off: every role may do everything. */
export const ROLE_MODES = ['off', 'enforced'] as const
export type RoleMode = (typeof ROLE_MODES)[number]
