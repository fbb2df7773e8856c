const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const utf8 = (text: string): Uint8Array => encoder.encode(text)

export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')

/** Decodes hexadecimal digits, base64 or base64url; empty for anything else. */
export function bytesOf(text: string, encoding: 'hex' | 'base64'): Uint8Array {
  if (encoding === 'hex')
    return /^(?:[0-9a-f]{2})*$/i.test(text)
      ? Uint8Array.from(text.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
      : new Uint8Array()
  try {
    const characters = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = new Uint8Array(characters.length)
    for (let i = 0; i < characters.length; i++) bytes[i] = characters.charCodeAt(i)
    return bytes
  } catch {
    return new Uint8Array()
  }
}
