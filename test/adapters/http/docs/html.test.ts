import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../../../../adapters/http/docs/html.ts'
import { prose } from '../../../../adapters/http/docs/reference-schema.ts'

const HOSTILE = `<i title="a" lang='b'>&amp;</i>`
const ESCAPED = '&lt;i title=&quot;a&quot; lang=&#39;b&#39;&gt;&amp;amp;&lt;/i&gt;'

test('values are escaped, unless they are HTML themselves', () => {
  assert.equal(html`<b>${HOSTILE} ${7}</b>`.text, `<b>${ESCAPED} 7</b>`)
  assert.equal(
    html`<ul>${[html`<li>${HOSTILE}</li>`, 'a', [html`<br>`]]}</ul>`.text,
    `<ul><li>${ESCAPED}</li>a<br></ul>`,
  )
})

test('text written as code is shown as code', () => {
  assert.equal(html`${prose('a `<b>` c')}`.text, 'a <code>&lt;b&gt;</code> c')
})
