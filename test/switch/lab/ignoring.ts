import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Place } from '../telephones.ts'

/** A carrier that never answers OPTIONS, and refuses each call with that status. */
export async function ignoring({ address, port }: Place, status: string): Promise<() => Promise<void>> {
  const socket = createSocket('udp4').bind(port, address)
  await once(socket, 'listening')
  socket.on('message', (request, from) => {
    const [first = '', ...lines] = request.toString().split('\r\n')
    if (!first.startsWith('INVITE ')) return
    const kept = lines.filter(line => /^(Via|From|To|Call-ID|CSeq):/i.test(line))
    const tagged = kept.map(line => (/^To:/i.test(line) ? `${line};tag=1` : line))
    socket.send([`SIP/2.0 ${status}`, ...tagged, 'Content-Length: 0', '', ''].join('\r\n'), from.port, from.address)
  })
  return async () => {
    socket.close()
    await once(socket, 'close')
  }
}
