/** Shown in place of a secret in lists. */
export const SECRET_MARK = '••••••'
