import { createHash } from 'node:crypto'
import type { SwitchTableShape, TableRow } from '../../../core/ports/switching/table.ts'
import { isActive } from '../../../core/rating/deck.ts'
import type { SwitchExtension, TenantDirectory } from '../../../core/switching/directory.ts'
import { isFitNumber } from '../../../core/switching/fit.ts'
import { contexts, endpointId, type LeftOut, section } from './lines.ts'

/** Part of every hashed secret: must equal the switch's `default_realm`. */
export const REALM = 'asterisk'

/** The objects that make a telephone, all of one id. */
const TYPES = ['endpoint', 'aor', 'auth'] as const
type Type = (typeof TYPES)[number]

/** The options that all telephones share. Asterisk reads them in this order. */
const SHARED: Readonly<Record<Type, Readonly<Record<string, string>>>> = {
  endpoint: {
    ...{ disallow: 'all', allow: 'ulaw,alaw', direct_media: 'no', rtp_symmetric: 'yes', force_rport: 'yes' },
    ...{ rewrite_contact: 'yes', identify_by: 'username,auth_username', allow_overlap: 'no' },
  },
  aor: { remove_existing: 'yes', max_contacts: '1' },
  auth: { auth_type: 'md5' },
}

/** The options that a telephone may set itself. */
const OWN = {
  endpoint: ['context', 'auth', 'aors', 'accountcode', 'callerid', 'set_var', 'mailboxes'],
  aor: ['max_contacts'],
  auth: ['username', 'md5_cred'],
} as const satisfies Readonly<Record<Type, readonly string[]>>

/** A telephone's own options, by type; null for what it leaves to those that all share. */
export type Telephone = { readonly id: string } & {
  readonly [T in Type]: Readonly<Record<(typeof OWN)[T][number], string | null>>
}

/** Returns whether the extension may register: what `decideRegistration` decides with the right secret. */
export const mayRegister = ({ number, status, secret }: SwitchExtension): boolean =>
  isActive(status) && isFitNumber(number) && secret.trim() !== ''

/** Returns a tenant's telephones. Secrets appear only as hashes. */
export function telephonesOf(
  { tenant: { slug }, extensions }: TenantDirectory,
  leaveOut: (left: LeftOut) => void,
): Telephone[] {
  const found: Telephone[] = []
  for (const extension of extensions.values()) {
    const { number, status } = extension
    if (mayRegister(extension)) found.push(telephoneOf(slug, extension))
    else if (isActive(status)) {
      const why = !isFitNumber(number) ? 'its number cannot be dialled' : 'it has no secret'
      leaveOut({ of: `extension ${slug}/${number}`, why })
    }
  }
  return found
}

function telephoneOf(slug: string, { number, displayName, hasVoicemail, devices, secret }: SwitchExtension): Telephone {
  const id = endpointId(slug, number)
  const name = cleanName(displayName)
  const { telephones: context, voicemail } = contexts(slug)
  return {
    id,
    endpoint: {
      ...{ context, auth: id, aors: id, accountcode: slug },
      callerid: `${name === '' ? '' : `"${name}" `}<${number}>`,
      set_var: `TL_EXT=${number}`,
      mailboxes: hasVoicemail ? `${number}@${voicemail}` : null,
    },
    aor: { max_contacts: devices > 1 ? String(devices) : null },
    auth: { username: id, md5_cred: ha1(id, secret) },
  }
}

const ha1 = (user: string, secret: string): string =>
  createHash('md5').update(`${user}:${REALM}:${secret}`).digest('hex')

/** Removes from a name what has a meaning in the file, in a dialplan or in a SIP header. */
export const cleanName = (name: string): string =>
  name
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029"<>[\]();\\$\x7b\x7d,|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 80)

/** The templates of the sections. */
export const TELEPHONE_TEMPLATES = TYPES.map(type =>
  section(`tl-${type}(!)`, [
    `type = ${type}`,
    ...Object.entries(SHARED[type]).map(([name, value]) => `${name} = ${value}`),
  ]),
).join('')

/** Renders the telephones as sections of `pjsip.conf`. */
export const telephoneSections = (telephones: readonly Telephone[]): string =>
  telephones.map(telephone => TYPES.map(type => sectionOf(telephone, type)).join('')).join('')

function sectionOf(telephone: Telephone, type: Type): string {
  const options = optionsOf(telephone, type)
  const lines = OWN[type].map(name => (options[name] == null ? null : `${name} = ${options[name]}`))
  return section(`${telephone.id}(tl-${type})`, lines)
}

const optionsOf = (telephone: Telephone, type: Type): Readonly<Record<string, string | null>> => telephone[type]

const columnOf = (type: Type, name: string): string => `${type}_${name}`

/** The view that Asterisk reads each type of object from. */
export const VIEWS = TYPES.map(type => ({ type, view: `tl_${type}s` }))

const isOwn = (type: Type, name: string): boolean => OWN[type].some(own => own === name)

/** Telephones as rows: each type of object is a view, with the shared options as constants. */
export const TELEPHONE_TABLE: SwitchTableShape = {
  name: 'telephones',
  columns: TYPES.flatMap(type => OWN[type].map(name => columnOf(type, name))),
  views: VIEWS.map(({ type, view }) => ({
    name: view,
    constants: Object.fromEntries(Object.entries(SHARED[type]).filter(([name]) => !isOwn(type, name))),
    columns: Object.fromEntries(OWN[type].map(name => [name, columnOf(type, name)])),
  })),
}

/** Returns the telephone as a row of the table. */
export const telephoneRow = (telephone: Telephone): TableRow => ({
  id: telephone.id,
  values: TYPES.flatMap(type => {
    const options = optionsOf(telephone, type)
    return OWN[type].map(name => options[name] ?? SHARED[type][name] ?? '')
  }),
})

/** Returns an option's value in a row. */
export const valueInRow = <T extends Type>({ values }: TableRow, type: T, name: (typeof OWN)[T][number]): string =>
  values[TELEPHONE_TABLE.columns.indexOf(columnOf(type, name))] ?? ''
