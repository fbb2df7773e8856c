import { isIP } from 'node:net'
import Type, { type Static } from 'typebox'
import { isJsonObject } from '../core/json.ts'
import { type Wrong, wrongMember } from './members.ts'

const text = Type.String({ minLength: 1 })
/** Characters that fit between quotes in XML files and after `auth` on a line. */
const secret = Type.String({ pattern: '^[\\x21-\\x7e]{16,200}$' })

/** An address, or a network such as `10.0.0.0/8`. */
function isNetwork(text: string): boolean {
  const [address = '', length, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128))
}

const eventSocket = Type.Object(
  {
    host: Type.Optional(text),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    password: Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]{1,200}$' })),
    password_file: Type.Optional(text),
  },
  { additionalProperties: false },
)

/** How FreeSWITCH on the same machine is served. */
export const freeswitchSchema = Type.Object(
  {
    token: Type.Optional(secret),
    token_file: Type.Optional(text),
    lookup_port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    event_socket: Type.Optional(eventSocket),
    cdr_folder: Type.Optional(text),
    allow: Type.Optional(Type.Array(Type.Refine(Type.String(), isNetwork), { minItems: 1, maxItems: 100 })),
  },
  { additionalProperties: false },
)

export type FreeswitchSetting = Static<typeof freeswitchSchema>

const WANTS: Readonly<Record<keyof FreeswitchSetting, string>> = {
  token: '16 to 200 letters, digits and marks without blanks',
  token_file: 'the path of a file that holds the token',
  lookup_port: 'an integer from 1 to 65535, which gateway-url of xml_curl.conf also names',
  event_socket: 'an object with host, port, and password or password_file',
  cdr_folder: 'the path of the folder where mod_json_cdr leaves what it could not post (err-log-dir)',
  allow: 'a list of addresses and networks such as ["127.0.0.1", "10.0.0.0/8"]',
}

const SOCKET_WANTS: Readonly<Record<keyof Static<typeof eventSocket>, string>> = {
  host: 'a host name or address',
  port: 'an integer from 1 to 65535',
  password: 'a password without blanks',
  password_file: 'the path of a file that holds the password',
}

export const FREESWITCH_WANTS = `an object such as the one that trunkline switch setup freeswitch writes, which has ${Object.keys(WANTS).join(', ')}`

/** Returns the first thing that is wrong with the setting, without its secrets. */
export function wrongFreeswitch(value: unknown): Wrong | null {
  if (!isJsonObject(value)) return { at: '', says: `must be ${FREESWITCH_WANTS}` }
  const { event_socket: socket } = value
  const inSocket = isJsonObject(socket) ? wrongMember(eventSocket, SOCKET_WANTS, socket) : null
  if (inSocket) return { ...inSocket, at: `.event_socket${inSocket.at}` }
  return wrongMember(freeswitchSchema, WANTS, value)
}
