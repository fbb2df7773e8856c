/**
 * The tables of both storages, those before others that refer to them. Not among them is what a storage keeps for its
 * own use: search indexes, its schema, which records have changed for a switch, and what is kept for a day.
 */
export const TABLES = [
  'tenants',
  'extensions',
  'queues',
  'rates',
  'dids',
  'devices',
  'agents',
  'routes',
  'cdrs',
  'cdr_ratings',
  'cdr_rating_history',
  'decks',
  'deck_rates',
  'trunks',
  'trunk_routes',
  'sms_gateways',
  'gateway_targets',
  'gateway_failures',
  'retired_gateways',
  'sms_routes',
  'sms_messages',
  'sms_message_ids',
  'parked_receipts',
  'accounts',
  'sessions',
  'audit',
  'imports',
  'feed_places',
  'quarantine',
  'notices',
  'server_keys',
  'heartbeat',
  // Triggers write it along with other tables, so it is stored after them.
  'catalog_revisions',
] as const

/**
 * Uploads and jobs of the console on a server, which are deleted a day after their last use: files of customers, with
 * secrets at times, belong in no dump or copy.
 */
export const FLEETING_TABLES = ['uploads', 'jobs', 'job_chunks'] as const
