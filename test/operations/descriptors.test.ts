import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { temporaryFolder } from '../support/http/app.ts'

/** The daemon needs about thirty for itself, and at its start briefly as many as it has files to load. */
const FILES = 128
const CONNECTIONS = 200

test('a daemon without file descriptors to spare answers again once they are free', async () => {
  const folder = temporaryFolder()
  const command = `ulimit -n ${FILES}; exec "$0" dist/bin/trunklined.js --db "$1" --port 0 --metrics-port 0`
  const env = { PATH: process.env.PATH ?? '', TRUNKLINE_ADMIN_PASSWORD: 'correct horse' }
  const daemon = spawn('sh', ['-c', command, process.execPath, join(folder.path, 'test.db')], { env })
  const ended = once(daemon, 'close')
  try {
    const [line] = await once(createInterface(daemon.stdout), 'line')
    const url = new URL(/http:\S+/.exec(line)?.[0] ?? '')
    const sockets = Array.from({ length: CONNECTIONS }, (): Socket => connect(Number(url.port), url.hostname))
    await Promise.all(sockets.map(socket => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
    const gone = sockets.map(socket => (socket.destroyed ? null : once(socket, 'close')))
    for (const socket of sockets) socket.destroy()
    await Promise.all(gone)
    const answer = await fetch(new URL('/healthz', url))
    assert.equal(answer.status, 200)
    assert.equal(daemon.exitCode, null)
  } finally {
    daemon.kill()
    await ended
    folder.remove()
  }
})
