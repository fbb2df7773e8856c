import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, missing, unbuilt, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { atTerminal } from '../../../support/cli/terminal.ts'

const ENTER = '\r'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

describe('at a terminal, a command without its arguments', {
  skip: unbuilt || missing('python3'),
  timeout: 60_000,
}, () => {
  it('offers the records to choose from', async () => {
    await place.done(
      'trunkline gateway create --name Kannel --provider-type kannel --server-host 127.0.0.1 --server-port 13013 --username u --password-file -',
      { input: 'secret of kannel' },
    )
    const screen = atTerminal(place, ['gateway', 'show', '--fields', 'name,username'])
    await screen.until('SMS gateway:')
    await screen.until('❯ Kannel')
    screen.type('Jas')
    await screen.until('❯ Jasmin')
    screen.type(ENTER)
    assert.equal(await screen.ended(), 0)
    assert.match(screen.printed(), /^name +Jasmin$/m)
  })

  it('asks for one after the other, and offers the known values if there are few', async () => {
    await place.done('trunkline admin create una@example.com --random-password')
    const screen = atTerminal(place, ['admin', 'role'])
    await screen.until('email:')
    screen.type(ENTER)
    await screen.until('something must be given')
    screen.type(`una@example.com${ENTER}`)
    await screen.until('role:')
    screen.type('mana')
    await screen.until('❯ manager')
    screen.type(ENTER)
    assert.equal(await screen.ended(), 0)
    const accounts = await place.json('trunkline admin list')
    assert.equal(accounts.find(({ email }: { email: string }) => email === 'una@example.com').role, 'manager')
  })

  it('says which one is missing with --no-input', async () => {
    const screen = atTerminal(place, ['tenant', 'show', '--no-input'])
    assert.equal(await screen.ended(), 64)
    assert.match(screen.printed(), /^error: missing required argument/m)
  })
})
