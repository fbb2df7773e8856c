import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Telephones and carriers, simulated by sipp. Each has its own address on the loopback. */

export interface Exchange {
  /** 0: it followed the scenario. */
  readonly code: number | null
  /** The unexpected status; null if nothing came. */
  readonly refusal: number | null
}

export interface Telephones {
  /** `contact` is the host and port that the telephone names as its own, if they are not. */
  register(phone: PhoneAt, expires?: number, contact?: string): Promise<Exchange>
  /** Calls from a telephone; resolves when the call has ended. `ms` is how long it talks. */
  call(phone: PhoneAt, dial: string, ms: number, callId?: string): Promise<Exchange>
  /** The same, with a header of the telephone's own. */
  callWithHeader(phone: PhoneAt, dial: string, header: string): Promise<Exchange>
  /** The same, with a tone on the line. */
  callAndSpeak(phone: PhoneAt, dial: string, ms: number): Promise<Exchange>
  /** The same, and presses keys once it is answered. */
  callAndPress(phone: PhoneAt, dial: string, ms: number, keys: string): Promise<Exchange>
  /**
   * The same, and then transfers the called one to another number, or to what the telephone calls with that Call-ID.
   */
  callAndTransfer(phone: PhoneAt, dial: string, ms: number, target: string, callId?: string): Promise<Exchange>
  /** Calls from a carrier; `user` is the user in the request, if it differs from the dialled one. */
  callIn(from: Place, caller: string, dial: string, ms: number, user?: string): Promise<Exchange>
  /** Tries to take the place of the telephone in the call with that Call-ID, from a telephone or a carrier. */
  takeOver(from: PhoneAt | Place, callId: string): Promise<Exchange>
  // These resolve once there is somebody at that place.
  /** Answers this many calls. */
  answer(at: Place, calls: number): Promise<Answering>
  /** Rings, and answers no call. */
  ring(at: Place): Promise<Answering>
  /** Refuses one call with that status. */
  refuse(at: Place, status: number): Promise<Answering>
  /** Redirects one call to that SIP address with 302, or transfers it once it is answered. */
  sendOn(at: Place, how: 'redirect' | 'answer-transfer', to: string): Promise<Answering>
  /** Accepts registrations with that user and secret until it is stopped. */
  registrar(at: Place, user: string, secret: string): Promise<Answering>
  close(): Promise<void>
}

export interface Answering {
  readonly done: Promise<Exchange>
  stop(): void
}

export interface Place {
  readonly address: string
  readonly port: number
}

export interface PhoneAt extends Place {
  readonly user: string
  readonly secret: string
  /** The tenant's domain if the switch uses it; otherwise the address of the switch. */
  readonly domain?: string
}

/** True if a socket is bound there; of IPv6, only the loopback address is known. */
function isTaken({ address, port }: Place): boolean {
  const [table, bytes] = isIPv6(address)
    ? ['udp6', ['01'.padEnd(8, '0').padStart(32, '0')]]
    : ['udp', address.split('.').map(each => Number(each).toString(16).padStart(2, '0'))]
  const socket = `${bytes.reverse().join('')}:${port.toString(16).padStart(4, '0')}`.toUpperCase()
  return readFileSync(`/proc/net/${table}`, 'utf8').includes(` ${socket} `)
}

const written = ({ address, port }: Place): string => `${isIPv6(address) ? `[${address}]` : address}:${port}`

/** Looks until it finds something. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | false | undefined>,
  ms = 15_000,
): Promise<T> {
  const deadline = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`it never happened that ${what}`)
    await pause(20)
  }
}

const SCENARIOS = 'test/switch/sipp'
const PATIENCE_S = '60'

/** `registrar` is the address and port of the switch; media ports are counted up from `media`. */
export function telephones(registrar: Place, folder: string, media: number): Telephones {
  const running = new Set<ChildProcess>()
  const server = written(registrar)
  let count = 0
  const play = (scenario: string, { address, port }: Place, args: readonly string[]) => {
    const errors = join(folder, `sipp-${++count}.err`)
    const common = [
      '-sf',
      scenario.includes('/') ? scenario : `${SCENARIOS}/${scenario}.xml`,
      '-i',
      address,
      '-p',
      String(port),
      '-nostdin',
    ]
    const log = ['-trace_err', '-error_file', errors, '-timeout', PATIENCE_S]
    const ports = ['-mp', String(media + (count % 200) * 4)]
    const child = spawn('sipp', [server, ...common, ...ports, ...log, ...args], { stdio: 'ignore' })
    running.add(child)
    const done = once(child, 'close').then(([code]): Exchange => {
      running.delete(child)
      return { code, refusal: refusalIn(errors) }
    })
    return { child, done }
  }
  const answering = async (scenario: string, at: Place, args: readonly string[]): Promise<Answering> => {
    const { address, port } = at
    if (isTaken(at)) throw new Error(`somebody is at ${address}:${port} already`)
    const { child, done } = play(scenario, at, [...args, '-aa'])
    let hasEnded = false
    const ended = done.then(({ code }) => {
      hasEnded = true
      throw new Error(`sipp ended with ${code} before it listened at ${address}:${port}`)
    })
    // The switch tries only once to call.
    await Promise.race([until(`${address}:${port} listens`, async () => hasEnded || isTaken(at)), ended])
    ended.catch(() => undefined)
    return { done, stop: () => child.kill('SIGKILL') }
  }
  const credentials = ({ user, secret, domain = registrar.address }: PhoneAt): string[] => [
    ...['-s', user, '-au', user, '-ap', secret, '-key', 'domain', domain, '-m', '1'],
  ]
  return {
    register: (phone, expires = 3600, contact = written(phone)) => {
      const keys = ['-key', 'expires', String(expires), '-key', 'contact', contact]
      return play('register', phone, [...credentials(phone), ...keys]).done
    },
    call: (phone, dial, ms, callId = '%u-%p@%s') =>
      play('call', phone, [...credentials(phone), '-key', 'dial', dial, '-d', String(ms), '-cid_str', callId]).done,
    callAndSpeak: (phone, dial, ms) => {
      const path = join(folder, 'tone.ulaw')
      writeFileSync(path, TONE)
      const speak = `<nop><action><exec rtp_stream="${path},-1,0,PCMU/8000"/></action></nop><pause/>`
      const scenario = callWith(folder, 'speak', speak)
      return play(scenario, phone, [...credentials(phone), '-key', 'dial', dial, '-d', String(ms)]).done
    },
    callAndPress: (phone, dial, ms, keys) => {
      const pressed = [...keys].map((key, index) => pressing(key, 3 + index)).join('<pause milliseconds="500"/>')
      const scenario = callWith(folder, 'press', `<pause milliseconds="300"/>${pressed}<pause/>`)
      return play(scenario, phone, [...credentials(phone), '-key', 'dial', dial, '-d', String(ms)]).done
    },
    callAndTransfer: (phone, dial, ms, target, callId) => {
      const replaces = callId === undefined ? '' : `?Replaces=${callId}%3Bto-tag%3Da%3Bfrom-tag%3Db`
      const { domain = registrar.address } = phone
      const keys = ['-key', 'dial', dial, '-key', 'target', `${target}@${domain}${replaces}`]
      return play('call-transfer', phone, [...credentials(phone), ...keys, '-d', String(ms), '-aa']).done
    },
    callIn: (from, caller, dial, ms, user = dial) => {
      const to = ['-key', 'domain', registrar.address, '-key', 'dial', dial, '-key', 'user', user]
      return play('call-in', from, ['-s', caller, ...to, '-m', '1', '-d', String(ms)]).done
    },
    callWithHeader: (phone, dial, header) =>
      play(withHeader(folder, 'call', header), phone, [...credentials(phone), '-key', 'dial', dial, '-d', '500']).done,
    takeOver: (from, callId) => {
      const isPhone = 'user' in from
      const path = withHeader(folder, isPhone ? 'call' : 'call-in', `Replaces: ${callId};to-tag=a;from-tag=b`)
      const own = isPhone ? credentials(from) : ['-s', 'x', '-key', 'domain', registrar.address, '-key', 'user', '1']
      return play(path, from, [...own, '-key', 'dial', '1', '-m', '1', '-d', '500']).done
    },
    answer: (at, calls) => answering('answer', at, ['-m', String(calls)]),
    ring: at => answering(changed(folder, 'answer', 'rings', { 'milliseconds="200"': 'milliseconds="50000"' }), at, []),
    refuse: (at, status) => {
      // sipp accepts no variable for a status.
      const path = join(folder, `refuse-${status}.xml`)
      writeFileSync(path, readFileSync(`${SCENARIOS}/refuse.xml`, 'utf8').replace('[status]', String(status)))
      return answering(path, at, ['-m', '1'])
    },
    sendOn: (at, how, to) => {
      const [dial = '', domain = ''] = to.split('@')
      return answering(how, at, ['-m', '1', '-key', 'dial', dial, '-key', 'domain', domain])
    },
    // Without a limit on calls, since the switch's OPTIONS may come before its REGISTER and would count as one.
    registrar: (at, user, secret) =>
      answering('registrar', at, ['-key', 'user', user, '-key', 'secret', secret, '-key', 'realm', at.address]),
    close: async () => {
      const ends = [...running].map(child => once(child, 'close'))
      for (const child of running) child.kill('SIGKILL')
      await Promise.all(ends)
    },
  }
}

/** A second of a loud square wave of 200 Hz, in µ-law. */
const TONE = Buffer.from(Array.from({ length: 8_000 }, (_, sample) => (sample % 40 < 20 ? 0x90 : 0x10)))

const pressing = (key: string, sequence: number): string => `<send retrans="500"><![CDATA[
INFO [next_url] SIP/2.0
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch];rport
[routes]
Max-Forwards: 70
From: <sip:[service]@[domain]>;tag=[pid]c[call_number]
[last_To:]
Call-ID: [call_id]
CSeq: ${sequence} INFO
Content-Type: application/dtmf-relay
Content-Length: [len]

Signal=${key}
Duration=200
]]></send><recv response="200"/>`

/** Writes the scenario of a call with something else during the call, and returns its path. */
const callWith = (folder: string, name: string, during: string): string =>
  changed(folder, 'call', name, { '<pause/>': during, 'CSeq: 3 BYE': 'CSeq: 99 BYE' })

const withHeader = (folder: string, scenario: string, header: string): string =>
  changed(folder, scenario, 'header', { 'Content-Type: application/sdp': `${header}\nContent-Type: application/sdp` })

/** Writes a scenario with other texts in the place of some, and returns its path. */
function changed(folder: string, scenario: string, name: string, texts: Readonly<Record<string, string>>): string {
  const path = join(folder, `${scenario}-${name}.xml`)
  let text = readFileSync(`${SCENARIOS}/${scenario}.xml`, 'utf8')
  for (const [from, to] of Object.entries(texts)) text = text.replaceAll(from, to)
  writeFileSync(path, text)
  return path
}

function refusalIn(path: string): number | null {
  try {
    const status = /received 'SIP\/2\.0 (\d{3})/.exec(readFileSync(path, 'utf8'))?.[1]
    return status === undefined ? null : Number(status)
  } catch {
    return null
  }
}
