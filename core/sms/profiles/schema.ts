import Type, { type Static } from 'typebox'
import { STATUS_CLASSES } from '../status-class.ts'

/** The schema of a provider's profile. A profile is data: what a request, a reply and a receipt look like. */

const strict = { additionalProperties: false } as const
const texts = Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 100 })

/** `data.messages[0].id`, `messages[*].status`, `[*].message.id`; empty for the whole value. */
const PATH = String.raw`(?:[^.[\]]+|\[(?:\d+|\*)\])?(?:\.[^.[\]]+|\[(?:\d+|\*)\])*`
const path = Type.String({ maxLength: 200, pattern: `^${PATH}$` })
const paths = Type.Array(path, { minItems: 1, maxItems: 20 })

/** Text with placeholders such as `{name}`; see `template.ts`. */
const template = Type.String({ maxLength: 2_000 })
const name = Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z][A-Za-z0-9_-]*$' })

/** A JSON tree whose texts are templates. A member without a value is left out. */
const tree = Type.Cyclic(
  {
    Tree: Type.Union([
      Type.String({ maxLength: 2_000 }),
      Type.Number(),
      Type.Boolean(),
      Type.Array(Type.Ref('Tree'), { maxItems: 100 }),
      Type.Record(Type.String(), Type.Ref('Tree')),
    ]),
  },
  'Tree',
)
const members = Type.Record(Type.String(), tree)

/** Sets and removes members of `fields`. */
const override = Type.Object({ set: Type.Optional(members), remove: Type.Optional(texts) }, strict)

const request = Type.Object(
  {
    method: Type.Enum(['GET', 'POST']),
    /** The URL after the gateway's host and port. */
    path: template,
    encoding: Type.Enum(['query', 'form', 'json']),
    /** How numbers are written: with `+`, or as digits only. */
    number: Type.Enum(['plus', 'digits']),
    auth: Type.Union([
      Type.Object({ kind: Type.Enum(['none', 'basic']) }, strict),
      Type.Object({ kind: Type.Literal('header'), name, value: template }, strict),
    ]),
    headers: Type.Optional(Type.Record(Type.String(), template)),
    fields: members,
    /** For text outside GSM 03.38. */
    unicode: Type.Optional(override),
    /** Our own reference of a message: a UUID, or the record's id where the provider takes only a number. */
    reference: Type.Optional(Type.Enum(['uuid', 'id'])),
    /** Query parameters of the receipt URL that the provider fills in, written unencoded. */
    receiptQuery: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 20 }))),
    /** Longer texts are refused, since the provider would cut them. */
    maxParts: Type.Optional(Type.Integer({ minimum: 1, maximum: 255 })),
    maxCharacters: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  },
  strict,
)

/** Holds if every value at the path is one of these, or matches the pattern; fails if the path leads nowhere. */
const test = Type.Object(
  { path, is: Type.Optional(texts), matches: Type.Optional(Type.String({ maxLength: 500, format: 'regex' })) },
  strict,
)

const found = Type.Union([
  Type.Object({ path }, strict),
  /** The first group of a pattern, in the text at the path or in the whole reply. */
  Type.Object({ path: Type.Optional(path), pattern: Type.String({ maxLength: 500, format: 'regex' }) }, strict),
])

const reply = Type.Object(
  {
    /** HTTP statuses of success; any 2xx by default. */
    ok: Type.Optional(Type.Array(Type.Integer({ minimum: 200, maximum: 299 }), { minItems: 1, maxItems: 20 })),
    /** All must hold. For providers that report failures under a 2xx. */
    tests: Type.Optional(Type.Array(test, { maxItems: 10 })),
    /** Where to find the provider's id or ids; none if it gives none. */
    id: Type.Union([found, Type.Literal('none')]),
    /** Where to find the error; the first that exists counts. */
    error: Type.Array(found, { maxItems: 10 }),
  },
  strict,
)

const receipt = Type.Object(
  {
    methods: Type.Array(Type.Enum(['GET', 'POST']), { minItems: 1 }),
    encodings: Type.Array(Type.Enum(['query', 'form', 'json']), { minItems: 1 }),
    /** Where to find the receipts in a request; by default the request is one. Every item of a root array is read. */
    items: Type.Optional(path),
    /** An item that fails one of these is not a receipt. */
    require: Type.Optional(Type.Array(test, { maxItems: 10 })),
    id: Type.Optional(paths),
    /** Our own reference; the one in the receipt URL is always read. */
    reference: Type.Optional(paths),
    /** The first path to a word in the table counts, else the first path to any word. */
    status: paths,
    /** The words of each class in lower case; `esme_*` is every word that begins so. */
    table: Type.Partial(Type.Object(Object.fromEntries(STATUS_CLASSES.map(each => [each, texts])), strict)),
    error: Type.Optional(paths),
    /** The answer to a receipt that was read. */
    ack: Type.Optional(
      Type.Object(
        { body: Type.String({ maxLength: 200 }), type: Type.Optional(Type.String({ maxLength: 100 })) },
        strict,
      ),
    ),
  },
  strict,
)

const ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha512'] as const
export const RECIPES = [
  'url-fields',
  'url-nonce',
  'url-query-fields-nonce',
  'body-nonce-timestamp',
  'id-timestamp-body',
  'name-values',
] as const

/** How the sender of a receipt is authenticated. The secret is the gateway's callback token. */
const sender = Type.Union([
  Type.Object({ kind: Type.Enum(['none', 'basic']) }, strict),
  /** The token is a query parameter of the receipt URL. */
  Type.Object({ kind: Type.Literal('url') }, strict),
  Type.Object(
    {
      kind: Type.Literal('hmac'),
      recipe: Type.Enum([...RECIPES]),
      algorithm: Type.Enum([...ALGORITHMS]),
      encoding: Type.Enum(['hex', 'base64']),
      /** `header:NAME` or `field:NAME`. */
      signature: Type.String({ pattern: '^(?:header|field):[A-Za-z0-9_-]+$' }),
      /** Headers that are part of the signed message, by their role in the recipe. */
      headers: Type.Optional(
        Type.Partial(Type.Object({ nonce: Type.String(), timestamp: Type.String(), id: Type.String() }, strict)),
      ),
      /** A prefix before the base64 of the secret. */
      keyPrefix: Type.Optional(Type.String()),
      /** The most seconds that a timestamp may be off. */
      tolerance: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
    },
    strict,
  ),
  /** The token is the public key, in base64. The signed message is timestamp, `|` and body. */
  Type.Object(
    {
      kind: Type.Literal('ed25519'),
      signature: Type.String(),
      timestamp: Type.String(),
      tolerance: Type.Integer({ minimum: 1, maximum: 86_400 }),
    },
    strict,
  ),
  Type.Object(
    {
      kind: Type.Literal('jwt'),
      header: Type.String(),
      /** Claims that must hold the SHA-256 of the URL or of the body, in hex. */
      urlHash: Type.Optional(Type.String()),
      bodyHash: Type.Optional(Type.String()),
    },
    strict,
  ),
])

/** What an account has besides its name and password, in the provider's words. */
const accountField = Type.Object(
  {
    /**
     * `username`, `password`, `token` (the callback token), `server_host`, `max_parts` (of `meta`), or a key of
     * `meta.account`.
     */
    key: name,
    label: Type.String({ minLength: 1, maxLength: 100 }),
    optional: Type.Optional(Type.Boolean()),
    fallback: Type.Optional(Type.String({ maxLength: 255 })),
    /** Takes this value if not given. */
    same: Type.Optional(Type.Enum(['username', 'password'])),
  },
  strict,
)

export const profileSchema = Type.Object(
  {
    name,
    title: Type.String({ minLength: 1, maxLength: 100 }),
    account: Type.Array(accountField, { maxItems: 20 }),
    /** Defaults of a new gateway. */
    defaults: Type.Partial(
      Type.Object(
        {
          server_host: Type.String({ maxLength: 255 }),
          server_port: Type.Integer({ minimum: 1, maximum: 65_535 }),
          use_ssl: Type.Boolean(),
        },
        strict,
      ),
    ),
    request,
    reply,
    receipt,
    sender: Type.Array(sender, { minItems: 1, maxItems: 4 }),
    /** What to enter on the provider's side, a line each; templates with `{receiptUrl}`. */
    setup: Type.Array(template, { maxItems: 20 }),
    /** What could not be verified against the provider. */
    unverified: Type.Optional(texts),
  },
  strict,
)

export type Profile = Static<typeof profileSchema>
export type ProfileSender = Profile['sender'][number]
