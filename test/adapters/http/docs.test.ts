import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startService } from '../../support/app.ts'

const OPEN_FILES = '/proc/self/fd'
const FILE = 'swagger-ui-bundle.js'

/** The open files of this process that have this name. */
const opened = (name: string): readonly string[] =>
  readdirSync(OPEN_FILES)
    .flatMap(descriptor => {
      try {
        return [readlinkSync(`${OPEN_FILES}/${descriptor}`)]
      } catch {
        return []
      }
    })
    .filter(path => path.endsWith(name))

test('who asks for a file of the page many times over one connection and goes away leaves no file open', {
  skip: !existsSync(OPEN_FILES),
}, async () => {
  const service = await startService()
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET /docs/${FILE} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(20))
  await once(socket, 'data')
  socket.destroy()
  assert.equal((await service.request('GET', '/healthz')).status, 200)
  const left = opened(FILE)
  await service.close()
  assert.deepEqual(left, [])
})
