/** Who changed what, from where. `changes` is JSON: each field's value before and after. */
export const audit = `
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  actor TEXT NOT NULL,
  origin TEXT NOT NULL,
  action TEXT NOT NULL,
  resource TEXT NOT NULL,
  record_id INTEGER,
  changes TEXT NOT NULL
) STRICT;
`
