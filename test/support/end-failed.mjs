// Loaded before each test file. A test that fails before it closes what it has opened keeps the file's process alive:
// the process ends soon after its last test. A file whose tests pass has to end by itself, or is ended in the end, with
// a word about what is open.
import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'

/** For what the file itself does after its tests. */
const PATIENCE_MS = 2_000
const LONGEST_MS = 60_000

if (isMainThread && process.env.NODE_TEST_CONTEXT !== undefined)
  after(() => {
    const since = performance.now()
    setInterval(() => {
      if (process.exitCode) process.exit()
      if (performance.now() - since < LONGEST_MS) return
      console.error(`${process.argv[1]} has ended its tests, but not these: ${process.getActiveResourcesInfo()}`)
      process.exit()
    }, PATIENCE_MS).unref()
  })
