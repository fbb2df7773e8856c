/** What a program answers that decides nothing and reads no database: the least that a lookup can take. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

const ANSWER =
  '<document type="freeswitch/xml"><section name="result"><result status="not found"/></section></document>'

const server = createServer(async (request, response) => {
  new URLSearchParams(await text(request))
  response.setHeader('content-type', 'text/xml').end(ANSWER)
}).listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`listening on http://127.0.0.1:${port}`)
})
