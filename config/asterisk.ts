import Type, { type Static } from 'typebox'
import { isJsonObject } from '../core/json.ts'
import { type Wrong, wrongMember } from './members.ts'

const text = Type.String({ minLength: 1 })

const manager = Type.Object(
  {
    host: Type.Optional(text),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    user: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,80}$' })),
    password: Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]{1,200}$' })),
    password_file: Type.Optional(text),
  },
  { additionalProperties: false },
)

/** An Asterisk on the same machine, kept in line with the database. */
export const asteriskSchema = Type.Object(
  { dir: text, manager: Type.Optional(manager), cdr_file: Type.Optional(text), telephones_db: Type.Optional(text) },
  { additionalProperties: false },
)

export type AsteriskSetting = Static<typeof asteriskSchema>

const WANTS: Readonly<Record<keyof AsteriskSetting, string>> = {
  dir: "the path of the folder for the files that Asterisk's own include",
  manager: 'an object with host, port, user, and password or password_file',
  cdr_file: 'the path of the file to which cdr_csv writes',
  telephones_db: 'the path of the SQLite file from which Asterisk reads telephones',
}

const MANAGER_WANTS: Readonly<Record<keyof Static<typeof manager>, string>> = {
  host: 'a host name or address',
  port: 'an integer from 1 to 65535',
  user: 'a name of letters, digits, _ . -',
  password: 'a password without blanks',
  password_file: 'the path of a file that holds the password',
}

export const ASTERISK_WANTS = `an object such as the one that trunkline switch setup asterisk writes, which has ${Object.keys(WANTS).join(', ')}`

/** Returns the first thing that is wrong with the setting, without the password. */
export function wrongAsterisk(value: unknown): Wrong | null {
  if (!isJsonObject(value)) return { at: '', says: `must be ${ASTERISK_WANTS}` }
  const inManager = isJsonObject(value['manager']) ? wrongMember(manager, MANAGER_WANTS, value['manager']) : null
  if (inManager) return { ...inManager, at: `.manager${inManager.at}` }
  return wrongMember(asteriskSchema, WANTS, value)
}
