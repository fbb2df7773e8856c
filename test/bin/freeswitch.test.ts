import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freeswitchOf } from '../../bin/freeswitch/freeswitch.ts'
import { loadSettings } from '../../config/load.ts'
import { AppError } from '../../core/errors.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { heldSwitch, PASSWORD } from '../support/switching/event-socket.ts'

const ID = '1781e2c8-7c5f-4b0a-a9e7-5a8d2b0f1c11'

/** Ends a call on a switch whose secrets are in files with these texts; null means no such file. */
async function ended(files: { readonly token: string | null; readonly password: string | null }): Promise<boolean> {
  const folder = temporaryFolder()
  const held = await heldSwitch()
  const path = (name: string): string => join(folder.path, name)
  for (const [name, text] of Object.entries(files)) if (text !== null) writeFileSync(path(name), text)
  const event_socket = { port: held.place.port, password_file: path('password') }
  writeFileSync(path('settings'), JSON.stringify({ freeswitch: { token_file: path('token'), event_socket } }))
  try {
    const { settings } = loadSettings({ flags: {}, environment: {}, file: path('settings') })
    return (await freeswitchOf(settings)?.end(ID)) ?? false
  } finally {
    await held.close()
    folder.remove()
  }
}

const TOKEN = 'a-token-of-the-tests'

test('the token and the password of the event socket may stand in files', async () => {
  assert.equal(await ended({ token: `${TOKEN}\n`, password: `${PASSWORD}\n` }), true)
})

test('a file of a secret that is missing, empty or longer than a line is named', async () => {
  const refused = (what: RegExp) => (error: unknown) =>
    error instanceof AppError && error.code === 'configuration' && what.test(error.message)
  const password = refused(/^freeswitch\.event_socket\.password_file names no file that holds a secret: \/.*password/)
  for (const wrong of [null, '', '\n', `${PASSWORD}\nand more\n`])
    await assert.rejects(ended({ token: TOKEN, password: wrong }), password)
  await assert.rejects(ended({ token: null, password: PASSWORD }), refused(/^freeswitch\.token_file names no file/))
})

test('a token or password that is neither there nor in a file is named, with where FreeSWITCH has it', () => {
  const folder = temporaryFolder()
  const file = join(folder.path, 'settings')
  const messageOf = (freeswitch: object): string => {
    writeFileSync(file, JSON.stringify({ freeswitch }))
    try {
      freeswitchOf(loadSettings({ flags: {}, environment: {}, file }).settings)
    } catch (error) {
      if (error instanceof AppError) return error.message
    }
    return ''
  }
  try {
    assert.match(
      messageOf({ event_socket: { password: PASSWORD } }),
      /^freeswitch\.token is missing: .* xml_curl\.conf,/,
    )
    for (const event_socket of [{}, undefined])
      assert.match(
        messageOf({ token: TOKEN, event_socket }),
        /^freeswitch\.event_socket\.password is missing: .* event_socket\.conf, .*password_file\.$/,
      )
  } finally {
    folder.remove()
  }
})
