import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createServer } from 'node:tls'
import * as asterisk from './lab/asterisk.ts'
import * as freeswitch from './lab/freeswitch.ts'
import { ACTIVE, until, WENT } from './lab/freeswitch.ts'

const skip = freeswitch.skip || asterisk.skip
const NETS = { freeswitch: 46, asterisk: 48 }
const [ours, theirs, stranger] = [`127.0.${NETS.freeswitch}.1`, `127.0.${NETS.asterisk}.1`, '127.0.46.90']
const PORTS = { telephones: '25562', carriers: '25582', asterisk: '25461' }
const places = freeswitch.placesIn(NETS.freeswitch)
const [desk, hall] = [places.phone('acme', '101', 11), places.phone('acme', '102', 12)]
const there = asterisk.placesIn(NETS.asterisk)
const [theirDesk, theirHall] = [there.phone('acme-101', 11), there.phone('acme-102', 12)]

/** Makes a key and a certificate for an address, which vouches for itself. */
function certify(folder: string, address: string): void {
  mkdirSync(join(folder, address))
  const subject = ['-subj', `/CN=${address}`, '-addext', `subjectAltName=IP:${address}`]
  const files = ['-keyout', 'key.pem', '-out', 'cert.pem']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files], {
    ...{ cwd: join(folder, address), stdio: 'pipe' },
  })
}

/** As docs/switch-freeswitch.md says, for both profiles. */
function withTls(text: string, folder: string): string {
  const read = (address: string, name: string): string => readFileSync(join(folder, address, `${name}.pem`), 'utf8')
  writeFileSync(join(folder, ours, 'agent.pem'), read(ours, 'cert') + read(ours, 'key'))
  writeFileSync(join(folder, ours, 'cafile.pem'), read(theirs, 'cert'))
  const ports = [PORTS.telephones, PORTS.carriers]
  return text.replaceAll('<param name="tls" value="false"/>', () =>
    [
      '<param name="tls" value="true"/>',
      `<param name="tls-sip-port" value="${ports.shift()}"/>`,
      `<param name="tls-cert-dir" value="${join(folder, ours)}"/>`,
      '<param name="tls-version" value="tlsv1.2"/>',
      '<param name="tls-verify-policy" value="out"/>',
    ].join('\n'),
  )
}

/** As docs/switch-asterisk.md says. */
function withTransport(text: string, folder: string): string {
  const transport = [
    ...['[tls]', 'type = transport', 'protocol = tls', `bind = ${theirs}:${PORTS.asterisk}`, 'method = tlsv1_2'],
    ...[`cert_file = ${folder}/${theirs}/cert.pem`, `priv_key_file = ${folder}/${theirs}/key.pem`],
    ...['verify_server = yes', `ca_list_file = ${folder}/${ours}/cert.pem`],
  ]
  return text.replace('#tryinclude', `${transport.join('\n')}\n\n#tryinclude`)
}

/** A carrier whose certificate nobody trusts; counts who left without a word, and who spoke nevertheless. */
async function impostor(folder: string) {
  const [key, cert] = ['key', 'cert'].map(name => readFileSync(join(folder, stranger, `${name}.pem`)))
  const seen = { left: 0, spoke: 0 }
  const server = createServer({ key, cert, maxVersion: 'TLSv1.2' }, socket => {
    socket
      .on('data', () => seen.spoke++)
      .on('close', () => seen.left++)
      .on('error', () => {})
  })
  server.on('tlsClientError', () => seen.left++).listen(0, stranger)
  await once(server, 'listening')
  const found = server.address()
  const port = typeof found === 'object' && found ? String(found.port) : ''
  return { seen, host: ['--host', stranger, '--port', port, '--transport', 'tls'], close: () => server.close() }
}

describe('a trunk over TLS between a real FreeSWITCH and a real Asterisk', { skip, timeout: 400_000 }, () => {
  let folder: string
  let fs: freeswitch.Lab
  let ast: asterisk.Lab

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trunkline-certificates-'))
    for (const address of [ours, theirs, stranger]) certify(folder, address)
    ast = await asterisk.openLab(NETS.asterisk, { configured: text => withTransport(text, folder) })
    await asterisk.populate(ast)
    fs = await freeswitch.openLab({ net: NETS.freeswitch, configured: text => withTls(text, folder) })
    await freeswitch.populate(fs)
    for (const each of [desk, hall]) assert.deepEqual(await fs.phones.register(each), WENT)
    for (const each of [theirDesk, theirHall])
      await until('it registers', async () => (await ast.phones.register(each)).code === 0)
  })
  after(async () => {
    await fs?.close()
    await ast?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const account = (lab: { readonly folder: string }, username: string, secret: string): string[] => {
    writeFileSync(join(lab.folder, username), secret)
    return ['--username', username, '--secret-file', join(lab.folder, username), '--registers']
  }
  const at = (host: string, port: string): string[] => ['--host', host, '--port', port, '--transport', 'tls']
  /** A DID whose calls go to 102. */
  const reachable = async ({ cli }: Pick<freeswitch.Lab, 'cli'>, number: string, provider: string): Promise<void> => {
    await cli('did', 'create', '--tenant', 'acme', '--number', number, '--provider', provider, ...ACTIVE)
    await cli('route', 'add', '--did', number, '--target-type', 'extension', '--target', 'acme/102')
  }

  test('FreeSWITCH registers with Asterisk and calls through it', async () => {
    const own = account(fs, 'acme-103', 's-acme-103')
    await fs.cli('trunk', 'create', '--name', 'theirs', ...at(theirs, PORTS.asterisk), ...own, ...ACTIVE)
    await fs.cli('trunk', 'route', 'set', 'theirs')
    await until('it is registered', async () => /theirs-[0-9a-f]{8}[^\n]*REGED/.test(await fs.ask('sofia status')))
    await reachable(ast, '+380447654321', 'any')
    await until('it is in the dialplan', async () => /380447654321/.test(await ast.ask('dialplan show')))
    const answering = await ast.answered(theirHall)
    // The DID may be in the dialplan before its route.
    await until('it goes through', async () => (await fs.phones.call(desk, '0447654321', 1_300)).code === 0)
    answering.stop()
    await answering.done
    const billed = await until('the call is billed', async () => {
      const found = (await fs.recorded('+380447654321')).filter(({ cost }) => Number(cost) > 0)
      return found.length > 0 && found
    })
    assert.deepEqual(
      billed.map(({ duration_seconds, cost }) => [duration_seconds, cost]),
      [[2, '0.0200']],
    )
  })

  test('Asterisk registers with FreeSWITCH and calls through it', async () => {
    const zone = ['--timezone', 'Europe/Kyiv', '--max-extensions', '1', ...ACTIVE]
    await fs.cli('tenant', 'create', '--name', 'lines', '--slug', 'lines', '--domain', ours, ...zone)
    const lines = account(ast, '900', 's-lines-900')
    const extension = ['--extension-number', '900', '--display-name', 'Lines', '--secret-file', join(ast.folder, '900')]
    await fs.cli('extension', 'create', '--tenant', 'lines', ...extension, ...ACTIVE)
    await ast.cli('trunk', 'create', '--name', 'lines', ...at(ours, PORTS.telephones), ...lines, ...ACTIVE)
    await until(
      'it is registered',
      async () => /_lines\/[^\n]*Registered/.test(await ast.ask('pjsip show registrations')),
      60_000,
    )
    await reachable(fs, '+380445550000', 'theirs')
    await ast.cli('trunk', 'create', '--name', 'ours', ...at(ours, PORTS.carriers), ...ACTIVE)
    await ast.cli('trunk', 'route', 'set', 'ours')
    await until(
      'it is in the dialplan',
      async () => /tl_trunk.=ours/.test(await ast.ask('dialplan show trunks-acme+0')),
      60_000,
    )
    const answering = await fs.answered(hall)
    assert.deepEqual(await ast.phones.call(theirDesk, '0445550000', 1_300), WENT)
    answering.stop()
    await answering.done
    const [record, ...others] = await ast.recorded('+380445550000')
    assert.ok(Number(record?.cost) > 0 && others.length === 0, JSON.stringify([record, others]))
    assert.equal((await fs.recorded('+380445550000')).length, 1)
  })

  test('neither speaks to a carrier whose certificate it does not trust', async () => {
    const { seen, host, close } = await impostor(folder)
    for (const [lab, name] of [
      [fs, 'FreeSWITCH'],
      [ast, 'Asterisk'],
    ] as const) {
      const before = seen.left
      await lab.cli('trunk', 'create', '--name', 'stranger', ...host, ...account(lab, 'me', 'to-nobody'), ...ACTIVE)
      await until(`${name} leaves`, async () => seen.left > before, 60_000)
      await lab.cli('trunk', 'update', 'stranger', '--status', 'inactive')
    }
    assert.equal(seen.spoke, 0)
    close()
  })
})
