import { connect } from 'node:net'

/** Long enough for any answer. */
const PATIENCE_MS = 5_000
/** An incomplete request may get no answer until its time is up. */
const GLANCE_MS = 30

/**
 * Sends bytes on a new connection and returns the status of the first answer: 0 if none came in time, null if the
 * connection closed without one.
 */
export function sendBytes(url: string, bytes: Buffer, isWhole: boolean): Promise<number | null> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname, () => void socket.write(bytes))
    let text = ''
    const end = (status: number | null): void => {
      clearTimeout(patience)
      socket.destroy()
      resolve(status)
    }
    const patience = setTimeout(() => end(0), isWhole ? PATIENCE_MS : GLANCE_MS)
    socket.setEncoding('latin1').on('data', piece => {
      text += piece
      const status = /(?:^|\r\n\r\n)HTTP\/1\.1 (?!100)(\d{3}) /.exec(text)?.[1]
      if (status !== undefined) end(Number(status))
    })
    socket.once('error', () => end(null))
    socket.once('close', () => end(null))
  })
}
