/** Where each session was opened from; unknown for earlier sessions. */
export const sessionOrigins = `
ALTER TABLE sessions ADD COLUMN origin TEXT;`
