import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cut, widthOf } from '../../../../adapters/cli/terminal/width.ts'

const FAMILY = '👨‍👩‍👧‍👦'
const ACCENT = 'e\u0301'

describe('a text that is cut', () => {
  it('is left alone where it fits', () => {
    for (const text of ['', 'plain', '東京', FAMILY, ACCENT.repeat(5)])
      assert.equal(cut(text, Math.max(1, widthOf(text))), text)
  })

  it('keeps its characters whole, however many code points make one', () => {
    assert.equal(cut(FAMILY.repeat(4), 5), `${FAMILY.repeat(2)}…`)
    assert.equal(cut(ACCENT.repeat(9), 4), `${ACCENT.repeat(3)}…`)
    assert.equal(cut('東京支社', 6), '東京…')
  })

  it('is read no further than it can be shown', t => {
    const { segment } = Intl.Segmenter.prototype
    const read: number[] = []
    t.mock.method(Intl.Segmenter.prototype, 'segment', function (this: Intl.Segmenter, text: string) {
      read.push(text.length)
      return segment.call(this, text)
    })
    assert.equal(widthOf(cut('é'.repeat(20_000), 80)), 80)
    assert.equal(widthOf(cut('e'.repeat(20_000), 80)), 80)
    assert.ok(cut(`e${'\u0301'.repeat(20_000)}`, 80).length < 2_000)
    assert.ok(Math.max(...read) < 2_000, String(read))
  })
})
