/**
 * How many sends in a row each gateway has failed, wherever the messages finally went; none if the last one succeeded.
 */
export const gatewayFailures = `
CREATE TABLE gateway_failures (
  gateway_id INTEGER PRIMARY KEY REFERENCES sms_gateways (id) ON DELETE CASCADE,
  in_a_row INTEGER NOT NULL
) STRICT;`
