// Loaded before each test file. A test that fails before it closes what it has opened keeps the file's process alive:
// the process ends soon after its last test. A file whose tests pass has to end by itself.
import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'

/** For what the file itself does after its tests. */
const PATIENCE_MS = 2_000

if (isMainThread && process.env.NODE_TEST_CONTEXT !== undefined)
  after(() => {
    setInterval(() => {
      if (process.exitCode) process.exit()
    }, PATIENCE_MS).unref()
  })
