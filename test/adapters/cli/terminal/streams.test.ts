import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { csvFor, redraw, writeErrors, writeJson, writeLines } from '../../../../adapters/cli/terminal/streams.ts'
import { styled } from '../../../../adapters/cli/terminal/styles.ts'

const HOSTILE = 'a\x1b[31mb\x9b2Jc\x1b]0;title\x07d\x08e\u202ef\u2066g\nforged\r\x7f\x85'
const CLEAN = 'abcd efg forged '

function listener(isTTY: boolean) {
  const stream = new Writable({
    write: (piece, _, done) => {
      heard.text += String(piece)
      done()
    },
  })
  const heard = { text: '', stream: Object.assign(stream, { isTTY }) }
  return heard
}

const green = (text: string): string => styled({ options: { color: true } }, 'green', text)

describe('a line for a person', () => {
  it('is one line without control characters, at a terminal and in a pipe', async () => {
    for (const isTTY of [true, false]) {
      const [out, error] = [listener(isTTY), listener(isTTY)]
      await writeLines({ stdout: out.stream }, [HOSTILE, 'next\tcell'])
      writeErrors({ stderr: error.stream }, HOSTILE, 'next\tcell')
      assert.deepEqual([out.text, error.text], Array(2).fill(`${CLEAN}\nnext\tcell\n`))
    }
  })

  it('keeps our own styles at a terminal, and no others', async () => {
    const [screen, pipe] = [listener(true), listener(false)]
    const line = green(`ok \x1b[32mgreen\x1b[39m \x1b[`)
    await writeLines({ stdout: screen.stream }, [line])
    await writeLines({ stdout: pipe.stream }, [line])
    assert.equal(screen.text, '\x1b[32mok green  [\x1b[39m\n')
    assert.equal(pipe.text, 'ok green  [\n')
  })

  it('may be drawn over the last one', () => {
    const screen = listener(true)
    redraw({ stderr: screen.stream }, HOSTILE)
    redraw({ stderr: screen.stream }, '')
    assert.equal(screen.text, `\r\x1b[K${CLEAN}\r\x1b[K`)
  })
})

describe('data', () => {
  it('as JSON is exact, and shows a terminal no control character', async () => {
    const out = listener(true)
    await writeJson({ stdout: out.stream }, JSON.stringify({ [HOSTILE]: HOSTILE }))
    assert.match(out.text, /^[\x20-\x7e]+$/)
    assert.deepEqual(JSON.parse(out.text), { [HOSTILE]: HOSTILE })
  })

  it('as CSV is exact in a pipe and cleaned at a terminal', () => {
    const csv = `name;note\n"${HOSTILE}";x\ty\n`
    assert.equal(csvFor(listener(false).stream, csv), csv)
    assert.equal(csvFor(listener(true).stream, csv), 'name;note\n"abcd efg\nforged ";x\ty\n')
  })
})
