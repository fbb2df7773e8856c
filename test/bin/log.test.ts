import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from '../support/programs.ts'

test('the log shows what clients sent as escapes, which read back as the same text', async () => {
  const sent = 'evil\x1b[2J\x9b31m\x7f\x85\u2028\u202eabc\u2066\n'
  const writing = `import { createLog } from './bin/daemon/log.ts'
    const { log, flush } = createLog('info')
    log.info({ sent: ${JSON.stringify(sent)} }, ${JSON.stringify(sent)})
    flush()`
  const { stderr } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', writing])
  assert.match(stderr, /^[\x20-\x7e]+\n$/)
  const { sent: read, msg } = JSON.parse(stderr)
  assert.deepEqual([read, msg], [sent, sent])
})
