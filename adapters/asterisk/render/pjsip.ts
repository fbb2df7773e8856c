import type { Trunk } from '../../../core/switching/directory.ts'
import { isFitName } from '../../../core/switching/fit.ts'
import { section, trunkId } from './lines.ts'
import { TELEPHONE_TEMPLATES } from './telephones.ts'

export const PJSIP_HEAD = [
  TELEPHONE_TEMPLATES,
  section('tl-trunk(!)', [
    ...['type = endpoint', 'context = tl-from-trunks', 'disallow = all', 'direct_media = no', 'rtp_symmetric = yes'],
    ...['force_rport = yes', 'allow_transfer = no', 'identify_by = ip', 'send_pai = no', 'allow_overlap = no'],
  ]),
].join('')

const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.:-]*[A-Za-z0-9])?$/
const CODEC = /^[A-Za-z0-9]{1,20}$/
/** In a file, `;` begins a comment, a backslash escapes it, and a `>` after the `=` is part of the assignment. */
const TYPED = /^(?![\s>])[^\p{Cc}]+(?<!\s)$/u

/** Returns why a trunk cannot be on the switch; null if it can. */
export function trunkProblem({ name, host, username, secret, codecs, registers }: Trunk): string | null {
  if (!isFitName(name)) return 'its name has characters that no switch can use'
  if (!HOST.test(host)) return `its host ${JSON.stringify(host)} is not a host name or address`
  if (username !== null && !/^[A-Za-z0-9_.+@-]{1,128}$/.test(username)) return 'its username has unusable characters'
  if (secret !== null && !TYPED.test(secret))
    return 'its secret begins or ends with a blank, or has a control character'
  if (registers && (username === null || secret === null)) return 'it registers, but has no username and secret'
  return codecs.every(codec => CODEC.test(codec)) ? null : 'its codecs have unusable characters'
}

const hostIn = ({ host }: Trunk): string => (host.includes(':') ? `[${host}]` : host)

/** Returns the SIP URI of a carrier, or of a number there. */
export function trunkUri(trunk: Trunk, number: string | null = null): string {
  const parameter = trunk.transport === 'udp' ? '' : `;transport=${trunk.transport}`
  return `sip:${number === null ? '' : `${number}@`}${hostIn(trunk)}:${trunk.port}${parameter}`
}

/** Renders the sections of one carrier: it is identified by its address, and called at a fixed one. */
export function trunkSections(trunk: Trunk): string {
  const { name, host, transport, username, secret, registers, codecs } = trunk
  const id = trunkId(name)
  const uri = escaped(trunkUri(trunk))
  const hasSecret = username !== null && secret !== null
  return [
    section(`${id}(tl-trunk)`, [
      `aors = ${id}`,
      `allow = ${codecs.length > 0 ? codecs.join() : 'ulaw,alaw'}`,
      `transport = ${transport}`,
      `set_var = TL_TRUNK=${name}`,
      hasSecret ? `outbound_auth = ${id}` : null,
    ]),
    section(id, ['type = aor', `contact = ${uri}`, 'qualify_frequency = 30']),
    section(id, ['type = identify', `endpoint = ${id}`, `match = ${host}`]),
    hasSecret ? section(id, ['type = auth', `username = ${username}`, `password = ${escaped(secret)}`]) : '',
    registers && hasSecret
      ? section(id, [
          ...['type = registration', `outbound_auth = ${id}`, `server_uri = ${uri}`, `transport = ${transport}`],
          `client_uri = sip:${username.replace(/@.*/, '')}@${hostIn(trunk)}`,
          ...['retry_interval = 20', 'forbidden_retry_interval = 300', 'max_retries = 100000', 'expiration = 600'],
        ])
      : '',
  ].join('')
}

/** Returns the names of the trunks in a file. */
export const trunkNamesIn = (file: string): string[] =>
  [...file.matchAll(/^\[_([A-Za-z0-9_.-]+)\]\(tl-trunk\)$/gm)].flatMap(([, name]) => name ?? [])

/** Escapes what a file would take for a comment, or for an escape. */
export const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll(';', '\\;')
