/** How far each import got that keeps its place: `mark` is the importer's own. */
export const imports = `
CREATE TABLE imports (
  resource TEXT NOT NULL,
  input TEXT NOT NULL,
  mark TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (resource, input)
) STRICT, WITHOUT ROWID;
`
