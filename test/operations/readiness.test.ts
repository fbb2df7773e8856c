import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { startDaemon } from '../support/daemon.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { databaseAt } from '../support/storages.ts'

const folder = temporaryFolder()
after(folder.remove)

it('the daemon notifies systemd once it listens, and only if systemd asks for it', { timeout: 20_000 }, async () => {
  const bin = join(folder.path, 'bin')
  const notified = join(folder.path, 'notified')
  mkdirSync(bin)
  mkdirSync(notified)
  const stub = join(bin, 'systemd-notify')
  writeFileSync(stub, '#!/bin/sh\necho "$@" >> "$TOLD/calls"\n')
  chmodSync(stub, 0o755)
  const environment = { PATH: `${bin}:${process.env.PATH ?? ''}`, TOLD: notified }
  const quiet = await startDaemon({ ...environment, TRUNKLINE_DB: await databaseAt(folder.path, 'quiet.db') })
  await quiet.stop()
  const heard = new Promise(resolve => watch(notified, resolve).unref())
  const TRUNKLINE_DB = await databaseAt(folder.path, 'notified.db')
  const NOTIFY_SOCKET = join(folder.path, 'socket')
  const daemon = await startDaemon({ ...environment, NOTIFY_SOCKET, TRUNKLINE_DB })
  await heard
  assert.equal((await fetch(`${daemon.url}/readyz`)).status, 200)
  await daemon.stop()
  assert.equal(readFileSync(join(notified, 'calls'), 'utf8'), '--ready\n')
})
