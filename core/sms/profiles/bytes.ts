const encoder = new TextEncoder()

export const utf8 = (text: string): Uint8Array => encoder.encode(text)

export function joined(...pieces: readonly (Uint8Array | string)[]): Uint8Array {
  const parts = pieces.map(piece => (typeof piece === 'string' ? utf8(piece) : piece))
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')

/** The bytes that hexadecimal digits, base64 or base64url stand for; empty for anything else. */
export function bytesOf(text: string, encoding: 'hex' | 'base64'): Uint8Array {
  if (encoding === 'hex')
    return /^(?:[0-9a-f]{2})*$/i.test(text)
      ? Uint8Array.from(text.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
      : new Uint8Array()
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), character => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
