import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Workplace, workplace } from '../../../../support/cli/cli.ts'

let place: Workplace
before(() => {
  place = workplace()
})
after(() => place.remove())

test('the initial setup of a switch is readable only by its owner, overwrites nothing, and says what to do next', async () => {
  const out = join(place.folder, 'switch')
  const made = await place.run(`trunkline switch setup freeswitch --out ${out}`)
  assert.equal(made.code, 0, made.stderr)
  assert.match(made.stderr, /restart trunklined, then FreeSWITCH/)
  assert.match(made.stderr, /FreeSWITCH (?:at|uses|will use) /)
  const file = join(out, 'freeswitch.xml')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  writeFileSync(file, 'edited')
  const again = await place.run(`trunkline switch setup freeswitch --out ${out}`)
  assert.equal(again.code, 73)
  assert.equal(readFileSync(file, 'utf8'), 'edited')
})

test('where FreeSWITCH keeps registrations is chosen when the setup is written, and not for Asterisk', async () => {
  const out = join(place.folder, 'in-memory')
  const made = await place.run(`trunkline switch setup freeswitch --out ${out} --registrations memory`)
  assert.equal(made.code, 0, made.stderr)
  assert.match(made.stderr, /-temp \/run\/freeswitch/)
  assert.match(readFileSync(join(out, 'freeswitch.xml'), 'utf8'), /"dbname" value="\/run\/freeswitch\//)
  const other = await place.run(`trunkline switch setup asterisk --out ${out}-2 --registrations memory`)
  assert.equal(other.code, 65)
  assert.match(other.stderr, /--registrations is for FreeSWITCH/)
})

test('a switch without a setup, and an invalid address, are refused', async () => {
  assert.equal((await place.run('trunkline switch setup nope --out x')).code, 64)
  assert.equal((await place.run('trunkline switch setup freeswitch --out x --address host')).code, 65)
  assert.equal((await place.run('trunkline switch setup asterisk --out x --telephones paper')).code, 64)
})

test('an address that the machine does not have is warned of, since no switch can listen at it', async () => {
  const reach = async (kind: string, address: string): Promise<string> =>
    (await place.run(`trunkline switch setup ${kind} --out ${join(place.folder, kind + address)} --address ${address}`))
      .stderr
  for (const kind of ['asterisk', 'freeswitch']) {
    assert.match(await reach(kind, '203.0.113.77'), /^Warning: this machine has no address 203\.0\.113\.77/m)
    assert.doesNotMatch(await reach(kind, '127.0.0.1'), /Warning/)
  }
})
