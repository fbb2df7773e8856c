/** Rating a call again may find that it ended at the tenant's own number: the former direction is kept as well. */
export const formerDirection = `
ALTER TABLE cdr_rating_history ADD COLUMN direction TEXT;
UPDATE cdr_rating_history SET direction = (SELECT direction FROM cdrs WHERE id = cdr_id);`
