import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BUILT_IN } from '../../core/sms/profiles/all.ts'
import { asThing, sampleRequests } from '../../core/sms/profiles/sample.ts'
import type { Profile } from '../../core/sms/profiles/schema.ts'
import { STATUS_CLASSES } from '../../core/sms/status-class.ts'

/** Writes the providers' pages in docs/providers from their profiles. */

const RECEIPTS = 'https://pbx.example.com/api/sms-gateways/1/dlr'

const FLAGS: Readonly<Record<string, string>> = {
  username: '--username …',
  password: '--password-file secret.txt',
  token: '--callback-token-file token.txt',
  server_host: '--server-host …',
}

const flagOf = (key: string): string => FLAGS[key] ?? `--account ${key}=…`

const CLASS_MEANS = {
  delivered: 'delivered',
  failed: 'failed',
  pending: 'on its way',
  unknown: 'ended; the outcome is not known',
} as const

type Sender = Profile['sender'][number]

function proofOf(sender: Sender): string {
  switch (sender.kind) {
    case 'none':
      return 'by nothing'
    case 'url':
      return 'by the secret in the receipt URL'
    case 'basic':
      return 'by Basic authentication, with the callback token as `user:password`'
    case 'hmac':
      return `by an HMAC-${sender.algorithm.toUpperCase()} signature in the ${sender.signature.replace(':', ' `')}\``
    case 'ed25519':
      return `by an Ed25519 signature in the header \`${sender.signature}\``
    case 'jwt':
      return `by a signed token (JWT, HS256) in the header \`${sender.header}\``
  }
}

function textsOf({ request }: Profile): string {
  const bounds = [
    ...(request.maxParts === undefined
      ? []
      : [`${request.maxParts} ${request.maxParts === 1 ? 'part' : 'parts'}, unless \`max_parts\` raises it,`]),
    ...(request.maxCharacters === undefined ? [] : [`${request.maxCharacters} characters`]),
  ]
  const limit = bounds.length > 0 ? ` Texts of more than ${bounds.join(' or ')} are refused before they are sent.` : ''
  const unicode = request.unicode
    ? 'Text outside GSM-7 is sent as Unicode.'
    : 'The provider chooses the alphabet, so that text outside GSM-7 arrives as it was written.'
  return `${unicode}${limit}`
}

const isMadeUp = ({ sender }: Profile, key: string): boolean =>
  key === 'token' && sender.some(({ kind }) => kind === 'url')

const optionsOf = (profile: Profile): string =>
  profile.account
    .filter(
      ({ optional, fallback, same, key }) => !(optional || same || fallback !== undefined || isMadeUp(profile, key)),
    )
    .map(({ key }) => flagOf(key))
    .join(' ')

function noteOf(profile: Profile, { key, optional, fallback, same }: Profile['account'][number]): string {
  if (same) return `the same as \`${flagOf(same)}\` unless given`
  if (isMadeUp(profile, key)) return 'a random one unless given'
  if (fallback !== undefined) return `\`${fallback}\` unless given`
  return optional ? 'optional' : 'required'
}

function setUp(profile: Profile): readonly string[] {
  const { name, title, account, setup, sender } = profile
  const token = sender.some(({ kind }) => kind === 'url') ? '?token=SECRET' : ''
  return [
    '## Setting it up',
    '',
    '```sh',
    `trunkline gateway create --profile ${name} ${optionsOf(profile)}`.trimEnd(),
    `trunkline gateway test '${title}' --to +380501234567 --from ACME`,
    '```',
    '',
    'At a terminal, `gateway create` asks for what is missing.',
    '',
    '| what | flag | |',
    '|---|---|---|',
    ...account.map(field => `| ${field.label} | \`${flagOf(field.key)}\` | ${noteOf(profile, field)} |`),
    '',
    '`base_url` must be the address at which the provider reaches this service. On its side:',
    '',
    ...setup.map(line => `- ${line.replace('{receiptUrl}', `\`${RECEIPTS}${token}\``)}`),
  ]
}

function page(profile: Profile): string {
  const { title, receipt, sender, unverified = [] } = profile
  const [first] = sampleRequests(profile)
  const lines = [
    `# ${title}`,
    '',
    'Made from the profile by `npm run providers`; do not edit.',
    '',
    ...setUp(profile),
    '',
    '## What is sent',
    '',
    textsOf(profile),
    '',
    '```json',
    JSON.stringify(first ? asThing(first.request) : {}, null, 2),
    '```',
    '',
    '## Receipts',
    '',
    `They come by ${receipt.methods.join(' or ')} and are proven ${sender.map(proofOf).join(', or ')}. Others are refused with 403.`,
    '',
    '| status | means |',
    '|---|---|',
    ...STATUS_CLASSES.flatMap(each =>
      (receipt.table[each] ?? []).map(word => `| \`${word}\` | ${CLASS_MEANS[each]} |`),
    ),
    '',
    'Any other word counts as on its way.',
    ...(unverified.length === 0
      ? []
      : ['', '## Not verified', '', 'Try it before you rely on it:', '', ...unverified.map(each => `- ${each}`)]),
    '',
  ]
  return lines.join('\n')
}

const index = (): string =>
  [
    '# SMS providers',
    '',
    'Made from the profiles by `npm run providers`; do not edit.',
    '',
    ...BUILT_IN.map(({ name, title }) => `- [${title}](${name}.md): \`--profile ${name}\``),
    '',
    'AWS (SNS and End User Messaging) cannot be a profile: it wants every request signed by its own scheme (SigV4). Neither can APIs that want a token fetched first (OAuth2), such as the project form of Sinch.',
    '',
    'A provider that is missing takes a JSON file of your own: see [SMS](../sms.md).',
    '',
  ].join('\n')

/** By file name. */
export const providerPages = (): ReadonlyMap<string, string> =>
  new Map([['README.md', index()], ...BUILT_IN.map(profile => [`${profile.name}.md`, page(profile)] as const)])

const FOLDER = fileURLToPath(new URL('../../docs/providers', import.meta.url))

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  mkdirSync(FOLDER, { recursive: true })
  for (const [name, text] of providerPages()) writeFileSync(join(FOLDER, name), text)
}
