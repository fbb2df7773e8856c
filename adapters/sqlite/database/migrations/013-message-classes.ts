/**
 * What is kept beside a message: our own reference, the meaning of its status, and how it was carried. The id that a
 * provider gave to a part of a long message leads to the message.
 */
export const messageClasses = `
ALTER TABLE sms_messages ADD COLUMN reference TEXT;
ALTER TABLE sms_messages ADD COLUMN status_class TEXT;
ALTER TABLE sms_messages ADD COLUMN parts INTEGER;
ALTER TABLE sms_messages ADD COLUMN part_classes TEXT;
ALTER TABLE sms_messages ADD COLUMN tries TEXT;
ALTER TABLE sms_messages ADD COLUMN resend_of INTEGER;

UPDATE sms_messages SET status_class = CASE
  WHEN delivery_status = 'failed' AND error_message LIKE 'outcome unknown: %' THEN 'unknown'
  WHEN delivery_status IN ('delivered', 'delivrd', 'read') THEN 'delivered'
  WHEN delivery_status IN ('failed', 'undeliv', 'undelivered', 'undeliverable', 'expired', 'deleted', 'rejected',
    'rejectd', 'canceled', 'cancelled', 'aborted') THEN 'failed'
  WHEN delivery_status IN ('queued', 'pending', 'submitted', 'accepted', 'acceptd', 'enroute', 'buffered', 'sent',
    'sending', 'scheduled', 'esme_rok') THEN 'pending'
END;

CREATE INDEX sms_messages_by_reference ON sms_messages (reference) WHERE reference IS NOT NULL;
CREATE INDEX sms_messages_pending ON sms_messages (requested_at) WHERE status_class = 'pending';

CREATE TABLE sms_message_ids (
  sms_gateway_id INTEGER NOT NULL,
  external_message_id TEXT NOT NULL,
  message_id INTEGER NOT NULL REFERENCES sms_messages (id) ON DELETE CASCADE,
  PRIMARY KEY (sms_gateway_id, external_message_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sms_message_ids_by_message ON sms_message_ids (message_id);`
