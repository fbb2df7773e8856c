import { callForm, didForm, inviteForm, registerForm } from '../../support/switching/freeswitch.ts'
import { FULL_SIZE, seeded } from '../dataset.ts'
import { didOf, domainOf, numberOf, slugOf, TOKEN } from './world.ts'

/** What FreeSWITCH sends besides the fields that are read: bodies have 1.1 and 6.5 KB. */
const padding = (fields: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: fields }, (_, n) => [`variable_of_the_channel_${n}`, `value of ${n}`]))
const [SHORT, LONG] = [padding(10), padding(140)]

/** A registration, a proof, a call inside, a call out and a call to a DID, of any extension. */
function forms(): (n: number) => Record<string, string> {
  const random = seeded(3)
  return n => {
    const i = random(FULL_SIZE.extensions)
    const [domain, user, slug] = [domainOf(i), numberOf(i), slugOf(i)]
    const proof = { ...SHORT, domain, user, sip_auth_username: user, sip_to_user: user, sip_to_host: domain }
    const called = { ...LONG, 'Unique-ID': `a7eda430-65ec-4177-99f6-${String(n).padStart(12, '0')}` }
    const call = { ...called, 'Hunt-Context': `t-${slug}`, variable_user_name: user, variable_accountcode: slug }
    const all = [
      () => registerForm(proof),
      () => inviteForm(proof),
      () => callForm({ ...call, 'Hunt-Destination-Number': numberOf(random(FULL_SIZE.extensions)) }),
      () => callForm({ ...call, 'Hunt-Destination-Number': `+4930${1_000_000 + random(9_000_000)}` }),
      () => didForm({ ...called, 'Hunt-Destination-Number': didOf(1 + random(FULL_SIZE.tenants)).slice(1) }),
    ]
    return all[n % all.length]?.() ?? {}
  }
}

/** The bytes of as many requests as mod_xml_curl sends them, each to be sent on a new connection. */
export function lookupRequests(count: number): readonly Buffer[] {
  const form = forms()
  const head = [
    'POST /freeswitch/xml HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Basic ${Buffer.from(`freeswitch:${TOKEN}`).toString('base64')}`,
    'Content-Type: application/x-www-form-urlencoded',
    'Connection: close',
  ].join('\r\n')
  return Array.from({ length: count }, (_, n) => {
    const body = new URLSearchParams(form(n)).toString()
    return Buffer.from(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  })
}
