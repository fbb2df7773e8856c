/** The tables of the API document, copied by hand, so that a wrong declaration does not pass its own test. */

export interface DocumentedField {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'date'
  readonly required: boolean
  readonly max?: number
  readonly min?: number
  /** The value of an omitted member on create; null by default. */
  readonly fallback?: unknown
  /** The sentence on a text that breaks the field's own rule, and such a text. */
  readonly rule?: readonly [text: string, predicate: string]
  readonly references?: true
  readonly hidden?: true
}

export interface DocumentedResource {
  readonly path: string
  readonly messages: Readonly<Record<'list' | 'create' | 'show' | 'update' | 'remove' | 'missing', string>>
  readonly fields: Readonly<Record<string, DocumentedField>>
  readonly search: readonly string[]
  /** Sets of members that no two records may share; the error is on the last. */
  readonly unique: readonly (readonly string[])[]
  readonly inList: readonly string[]
  readonly inSingle: readonly string[]
}

const string = (max: number | null, more: Partial<DocumentedField> = {}): DocumentedField => ({
  type: 'string',
  required: true,
  ...(max === null ? {} : { max }),
  ...more,
})
const integer = (min: number, more: Partial<DocumentedField> = {}): DocumentedField => ({
  type: 'integer',
  required: true,
  min,
  ...more,
})
const reference: DocumentedField = { type: 'integer', required: true, references: true }
const amount: DocumentedField = { type: 'number', required: true, min: 0 }
const optional = { required: false } as const
const flag: DocumentedField = { type: 'boolean', required: false, fallback: false }
const object: DocumentedField = { type: 'object', required: false }

const messages = (one: string, many: string): DocumentedResource['messages'] => ({
  list: `${many} fetched successfully.`,
  create: `${one} created successfully.`,
  show: `${one} loaded successfully.`,
  update: `${one} updated successfully.`,
  remove: `${one} deleted successfully.`,
  missing: `${one} not found.`,
})

export const documented: Readonly<Record<string, DocumentedResource>> = {
  tenants: {
    path: '/api/tenants',
    messages: messages('Tenant', 'Tenants'),
    fields: {
      name: string(255),
      slug: string(255),
      domain: string(255),
      status: string(50),
      timezone: string(100, { rule: ['Mars/Olympus', 'must be a valid timezone'] }),
      max_extensions: integer(1),
      settings: object,
    },
    search: ['name', 'slug', 'domain'],
    unique: [['slug'], ['domain']],
    inList: ['extensions_count', 'dids_count', 'queues_count'],
    inSingle: ['extensions', 'dids', 'queues', 'rates'],
  },
  extensions: {
    path: '/api/extensions',
    messages: messages('Extension', 'Extensions'),
    fields: {
      tenant_id: reference,
      extension_number: string(20),
      display_name: string(255),
      email: string(255, { ...optional, rule: ['nobody', 'must be a valid email address'] }),
      secret: string(255),
      status: string(50),
      voicemail_enabled: flag,
    },
    search: ['extension_number', 'display_name', 'email'],
    unique: [['tenant_id', 'extension_number']],
    inList: ['tenant', 'devices'],
    inSingle: ['tenant', 'devices', 'queueAgents', 'cdrs'],
  },
  queues: {
    path: '/api/queues',
    messages: messages('Queue', 'Queues'),
    fields: {
      tenant_id: reference,
      name: string(255),
      queue_number: string(20),
      strategy: string(100),
      timeout: integer(1),
      status: string(50),
    },
    search: ['name', 'queue_number', 'strategy'],
    unique: [],
    inList: ['tenant', 'agents'],
    inSingle: ['tenant', 'agents'],
  },
  rates: {
    path: '/api/rates',
    messages: messages('Rate', 'Rates'),
    fields: {
      tenant_id: reference,
      prefix: string(50),
      destination: string(255),
      cost_per_minute: amount,
      billing_increment: integer(1),
      status: string(50),
    },
    search: ['prefix', 'destination', 'status'],
    unique: [],
    inList: ['tenant'],
    inSingle: ['tenant'],
  },
  dids: {
    path: '/api/dids',
    messages: messages('DID', 'DIDs'),
    fields: {
      tenant_id: reference,
      number: string(50),
      provider: string(255),
      description: string(null, optional),
      status: string(50),
    },
    search: ['number', 'provider', 'description'],
    unique: [],
    inList: ['tenant', 'routes'],
    inSingle: ['tenant', 'routes'],
  },
  cdrs: {
    path: '/api/cdrs',
    messages: messages('CDR', 'CDRs'),
    fields: {
      tenant_id: reference,
      extension_id: { ...reference, ...optional },
      caller_number: string(50),
      destination_number: string(50),
      direction: string(50, { rule: ['sideways', 'must be one of inbound, outbound'] }),
      disposition: string(50),
      duration_seconds: integer(0),
      bill_seconds: integer(0),
      cost: amount,
      started_at: { type: 'date', required: true },
      ended_at: { type: 'date', required: false },
    },
    search: ['caller_number', 'destination_number', 'direction', 'disposition'],
    unique: [],
    inList: ['tenant', 'extension'],
    inSingle: ['tenant', 'extension'],
  },
  trunks: {
    path: '/api/trunks',
    messages: messages('Trunk', 'Trunks'),
    fields: {
      name: string(63, {
        rule: [
          'a,b',
          'must begin with a letter or digit and contain only letters, digits, dots, hyphens and underscores',
        ],
      }),
      host: string(255, { rule: ['sip:example.com', 'must be a host name or an IP address'] }),
      port: integer(1, { ...optional, fallback: 5060 }),
      transport: string(3, { ...optional, fallback: 'udp', rule: ['ws', 'must be one of udp, tcp, tls'] }),
      username: string(255, { ...optional, rule: ['a b', 'must be the user of a SIP address'] }),
      secret: string(255, { ...optional, hidden: true }),
      registers: flag,
      number_form: string(10, {
        ...optional,
        fallback: 'e164',
        rule: ['plus', 'must be one of e164, digits, national'],
      }),
      codecs: string(255, { ...optional, rule: ['PCMA;PCMU', 'must be names of codecs, such as PCMA,PCMU'] }),
      max_calls: integer(1, optional),
      status: string(50),
    },
    search: ['name', 'host'],
    unique: [['name']],
    inList: [],
    inSingle: [],
  },
  sms_gateways: {
    path: '/api/sms-gateways',
    messages: messages('SMS gateway', 'SMS gateways'),
    fields: {
      name: string(255),
      provider_type: string(100),
      server_host: string(255, { rule: ['http://example.com', 'must be a host name or an IP address'] }),
      server_port: integer(1),
      api_path: string(255, { ...optional, fallback: 'send' }),
      username: string(255),
      password: string(255, { hidden: true }),
      default_sender_id: string(30, optional),
      callback_token: string(255, optional),
      is_active: flag,
      use_ssl: flag,
      notes: string(null, optional),
      meta: object,
    },
    search: ['name', 'server_host', 'provider_type'],
    unique: [],
    inList: ['messages_count'],
    inSingle: ['messages_count'],
  },
}
