/**
 * Reads the whole list and searches for two characters, this many times at once, repeatedly until stopped: `crowd.ts
 * URL COOKIE LISTS SEARCHES`. Prints a line once each has begun to arrive or is being waited for.
 */
import { Agent, get } from 'node:http'

const [url = '', cookie = '', lists = '', searches = ''] = process.argv.slice(2)
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

const read = (path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    get(`${url}${path}`, { headers: { cookie }, agent }, response => {
      if (response.statusCode !== 200) reject(new Error(`${path} was answered with ${response.statusCode}`))
      response.resume().once('close', resolve)
    }).once('error', reject)
  })

async function forever(path: string): Promise<never> {
  for (;;) await read(path)
}

for (let n = 0; n < Number(lists); n++) forever('/api/cdrs')
// Half of the searches find something on every page, the others nothing.
for (let n = 0; n < Number(searches); n++) forever(`/api/cdrs?search=${n % 2 === 0 ? 10 + n : 'zz'}`)
setTimeout(() => console.log('reading'), 1_000)
