/**
 * Each statement checks the references of all its calls at once: foreign keys check them row by row, which took half
 * of the time of storing calls, and calls that are parted by month have no key for others to refer to. Errors have the
 * code of a foreign key's.
 */
export const callReferences = `
ALTER TABLE cdrs DROP CONSTRAINT cdrs_tenant_id_fkey, DROP CONSTRAINT cdrs_extension_id_fkey;
ALTER TABLE cdr_ratings DROP CONSTRAINT cdr_ratings_cdr_id_fkey;
ALTER TABLE cdr_rating_history DROP CONSTRAINT cdr_rating_history_cdr_id_fkey;

CREATE FUNCTION cdrs_refer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE wanted bigint[]; present bigint; BEGIN
  SELECT array_agg(DISTINCT tenant_id) INTO wanted FROM made;
  PERFORM 1 FROM tenants WHERE id = ANY(wanted) ORDER BY id FOR KEY SHARE;
  GET DIAGNOSTICS present = ROW_COUNT;
  IF present < cardinality(wanted) THEN
    RAISE foreign_key_violation USING MESSAGE = 'a call refers to a tenant that is not there', CONSTRAINT = 'cdrs_tenant_id';
  END IF;
  SELECT array_agg(DISTINCT extension_id) INTO wanted FROM made WHERE extension_id IS NOT NULL;
  PERFORM 1 FROM extensions WHERE id = ANY(wanted) ORDER BY id FOR KEY SHARE;
  GET DIAGNOSTICS present = ROW_COUNT;
  IF present < cardinality(wanted) THEN
    RAISE foreign_key_violation USING MESSAGE = 'a call refers to an extension that is not there', CONSTRAINT = 'cdrs_extension_id';
  END IF;
  RETURN NULL; END $$;
CREATE TRIGGER cdrs_insert_refer AFTER INSERT ON cdrs REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION cdrs_refer();
CREATE TRIGGER cdrs_update_refer AFTER UPDATE ON cdrs REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION cdrs_refer();
${deletion('tenants', 'keep_cdrs', "IF EXISTS (SELECT 1 FROM cdrs WHERE tenant_id = ANY(ids)) THEN RAISE foreign_key_violation USING MESSAGE = 'a call refers to the tenant', CONSTRAINT = 'cdrs_tenant_id'; END IF;")}
${deletion('extensions', 'leave_cdrs', 'UPDATE cdrs SET extension_id = NULL WHERE extension_id = ANY(ids);')}
${deletion('cdrs', 'take_ratings', 'DELETE FROM cdr_ratings WHERE cdr_id = ANY(ids); DELETE FROM cdr_rating_history WHERE cdr_id = ANY(ids);')}

-- Begins like the id, so that ranges of ids are found by it; ids of switches are of any length, and an index row is not.
CREATE FUNCTION call_key(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT CASE WHEN length($1) <= 200 THEN $1 ELSE left($1, 200) || encode(sha256(convert_to($1, 'UTF8')), 'hex') END $$;
DROP INDEX cdr_ratings_once, cdr_ratings_by_id;
CREATE UNIQUE INDEX cdr_ratings_once ON cdr_ratings (source, call_key(switch_call_id));
`

/** The ids go as an array, for which every plan uses an index, however many there were when it was made. */
function deletion(table: string, name: string, body: string): string {
  const full = `${table}_delete_${name}`
  return `
CREATE FUNCTION ${full}() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE ids bigint[]; BEGIN
  SELECT array_agg(id) INTO ids FROM gone; ${body} RETURN NULL; END $$;
CREATE TRIGGER ${full} AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION ${full}();`
}
