/** Failed logins of the last minutes, by a hash of who failed. Not worth its log: after a crash it is empty. */
export const loginCounts = `
CREATE UNLOGGED TABLE login_counts (
  key text COLLATE "C" PRIMARY KEY,
  count bigint NOT NULL,
  ends_at timestamptz NOT NULL
);`
