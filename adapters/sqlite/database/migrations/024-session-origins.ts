/** Where each session was opened from; unknown for those that were open before. */
export const sessionOrigins = `
ALTER TABLE sessions ADD COLUMN origin TEXT;`
