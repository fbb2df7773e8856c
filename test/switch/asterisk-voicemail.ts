import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Lab, openLab, placesIn, populate, skip, until, WENT } from './lab/asterisk.ts'

const NET = 49
const { phone } = placesIn(NET)
const desk = phone('acme-101', 11)
const hall = phone('acme-102', 12)

describe('voicemail of a real Asterisk', { skip, timeout: 300_000 }, () => {
  let lab: Lab
  const messages = (folder: string): string[] => {
    const path = join(lab.folder, 'spool/voicemail/tenant-acme/102', folder)
    return existsSync(path) ? readdirSync(path).filter(name => name.endsWith('.wav')) : []
  }

  before(async () => {
    lab = await openLab(NET)
    await populate(lab)
    await lab.cli('extension', 'update', 'acme/102', '--voicemail-enabled', 'true')
    for (const each of [desk, hall])
      await until('it registers', async () => (await lab.phones.register(each)).code === 0)
    await until('it has its mailbox', async () => (await lab.ask('voicemail show users')).includes('102'))
  })
  after(() => lab?.close())

  test('stores the message of a caller whom nobody answers', async () => {
    assert.deepEqual(await lab.phones.callAndSpeak(desk, '102', 15_000), WENT)
    await until('the message is stored', async () => messages('INBOX').length === 1)
  })

  test('an extension that dials *97 hears its own messages, and one without voicemail is refused', async () => {
    assert.equal((await lab.phones.call(desk, '*97', 500)).refusal, 404)
    assert.deepEqual(await lab.phones.callAndPress(hall, '*97', 16_000, '1'), WENT)
    await until('it has been heard', async () => messages('Old').length === 1)
    assert.deepEqual(messages('INBOX'), [])
    const [record] = await lab.recorded('*97')
    assert.deepEqual([record?.caller_number, record?.direction, record?.cost], ['102', 'inbound', '0.0000'])
  })
})
