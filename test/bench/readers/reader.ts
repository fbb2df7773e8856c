/** Reads a response as fast as it comes and prints its duration in milliseconds, after a line when it begins. */
import { get } from 'node:http'

const [url = '', cookie = ''] = process.argv.slice(2)
console.log('reading')
const started = performance.now()
get(url, { headers: { cookie } }, response => {
  if (response.statusCode !== 200) throw new Error(`${url} was answered with ${response.statusCode}`)
  response.resume().once('close', () => {
    if (!response.complete) throw new Error('The response was cut off.')
    console.log(performance.now() - started)
  })
})
