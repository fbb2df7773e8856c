import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rawRequest } from '../support/http/raw.ts'
import { serving } from '../support/http/sessions.ts'

const POST = 'POST /webhooks/gateway/1/dlr HTTP/1.1\r\nHost: x\r\n'
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`
const GET = 'GET /healthz HTTP/1.1\r\n'

/** Requests in which two servers in a row may see different ends or hosts. */
const SHAPES: Readonly<Record<string, string>> = {
  'two lengths': `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`,
  'the same length twice': `${POST}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
  'a list of lengths': `${POST}Content-Length: 2, 2\r\n\r\n{}`,
  'a signed length': `${POST}Content-Length: +2\r\n\r\n{}`,
  'a negative length': `${POST}Content-Length: -2\r\n\r\n{}`,
  'a length, then chunks': `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunks, then a length': `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  'an unknown coding': `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'chunks that are not the last coding': `${POST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
  'two codings': `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
  'a space before the colon': `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
  'a chunk size that is none': `${CHUNKED}zz\r\n{}\r\n0\r\n\r\n`,
  'a chunk size beyond all numbers': `${CHUNKED}fffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
  'a chunk longer than its size': `${CHUNKED}2\r\n{}XX0\r\n\r\n`,
  'chunks with bare line feeds': `${CHUNKED}2\n{}\n0\n\n`,
  'a line feed in a chunk extension': `${CHUNKED}2;a\nb\r\n{}\r\n0\r\n\r\n`,
  'bare line feeds': 'GET /healthz HTTP/1.1\nHost: x\n\n',
  'a bare line feed between headers': `${GET}Host: x\nFoo: bar\r\n\r\n`,
  'a bare line feed at the end': `${GET}Host: x\r\n\n`,
  'a bare carriage return': `${GET}Host: x\rFoo: bar\r\n\r\n`,
  'a folded header': `${GET}Host: x\r\nFoo: a\r\n b\r\n\r\n`,
  'a folded first header': `${GET} Host: x\r\n\r\n`,
  'a header without a name': `${GET}Host: x\r\n: a\r\n\r\n`,
  'a NUL in a header': `${GET}Host: x\r\nFoo: a\0b\r\n\r\n`,
  'no host': `${GET}\r\n`,
  'two hosts': `${GET}Host: a\r\nHost: b\r\n\r\n`,
  'an unknown version': 'GET /healthz HTTP/1.2\r\nHost: x\r\n\r\n',
}

const headOf = (text: string): string => text.split('\r\n\r\n')[0] ?? ''
const bodyOf = (text: string): unknown => JSON.parse(text.slice(headOf(text).length + 4))

describe('a request with', { timeout: 20_000 }, () => {
  for (const [shape, bytes] of Object.entries(SHAPES))
    it(
      `${shape} is a 400 in JSON, and its connection is closed`,
      serving(async ({ url }) => {
        const { status, text } = await rawRequest(url, { bytes })
        assert.equal(status, 400)
        assert.match(headOf(text), /^connection: close$/im)
        assert.match(headOf(text), /^content-type: application\/json; charset=utf-8$/im)
        assert.deepEqual(bodyOf(text), { message: 'Bad Request.' })
      }),
    )
})

describe('what is not accepted', { timeout: 20_000 }, () => {
  it(
    'is answered in JSON as well when it is too much, or expects what we do not do',
    serving(async ({ url }) => {
      for (const [bytes, status, message] of [
        [`${GET}Host: x\r\nFoo: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'Request Header Fields Too Large.'],
        [`${GET}Host: x\r\nExpect: wonders\r\n\r\n`, 417, 'Expectation Failed.'],
      ] as const) {
        const answer = await rawRequest(url, { bytes })
        assert.equal(answer.status, status)
        assert.deepEqual(bodyOf(answer.text), { message })
      }
    }),
  )

  it(
    'never gets its answer in the place of that of a request before',
    serving(async ({ url }) => {
      const { text } = await rawRequest(url, { bytes: `${GET}Host: x\r\n\r\nGET / HTTP/1.1\r\nHost : x\r\n\r\n` })
      assert.match(text, /^HTTP\/1\.1 200 /)
      assert.equal(text.split('HTTP/1.1 ').length, 2)
    }),
  )
})
