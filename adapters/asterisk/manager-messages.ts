import { AppError } from '../../core/errors.ts'

/** A message of the manager interface: its lines by their names in lower case. A name may repeat. */
export type ManagerMessage = ReadonlyMap<string, readonly string[]>

export const valueIn = (message: ManagerMessage, name: string): string => message.get(name)?.[0] ?? ''

/** The most characters of one message; the output of a command is one. */
const LONGEST = 8 * 1024 * 1024
const END = '\r\n\r\n'

/**
 * Returns a function that reads messages from pieces, wherever they are cut. It throws `unavailable` for anything
 * else.
 */
export function messageReader(): (piece: string) => ManagerMessage[] {
  let pending = ''
  let greeted = false
  return piece => {
    pending += piece
    if (!greeted) {
      const end = pending.indexOf('\n')
      if (end === -1 && pending.length < 200) return []
      if (!/^Asterisk Call Manager\/[0-9.]+\r?$/.test(pending.slice(0, Math.max(0, end))))
        throw new AppError('unavailable', 'What answers is not the manager interface of an Asterisk.')
      pending = pending.slice(end + 1)
      greeted = true
    }
    const messages: ManagerMessage[] = []
    for (let end = pending.indexOf(END); end !== -1; end = pending.indexOf(END)) {
      messages.push(messageOf(pending.slice(0, end)))
      pending = pending.slice(end + END.length)
    }
    if (pending.length > LONGEST) throw new AppError('unavailable', 'The manager interface sends an endless message.')
    return messages
  }
}

function messageOf(text: string): ManagerMessage {
  const message = new Map<string, string[]>()
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon === -1) continue
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).replace(/^ /, '')
    const values = message.get(name)
    if (values) values.push(value)
    else message.set(name, [value])
  }
  return message
}
