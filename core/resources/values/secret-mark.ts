/** What stands in the place of a secret where lists are shown. */
export const SECRET_MARK = '••••••'
