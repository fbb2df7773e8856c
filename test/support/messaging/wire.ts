import { once } from 'node:events'
import { createServer as createTcp, type Server, type Socket } from 'node:net'

/** A server that sends nothing by itself: `act` gets each connection once its request has begun. */
export async function wire(
  act: (socket: Socket) => void,
  onPort = 0,
): Promise<{ url: string; server: Server; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createTcp(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => act(socket))
  })
  server.listen(onPort, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${port}/send`, server, close }
}
