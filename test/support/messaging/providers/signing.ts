import { createHash, createHmac } from 'node:crypto'

export const hmac = (algorithm: string, key: string | Buffer, text: string): Buffer =>
  createHmac(algorithm, key).update(text).digest()
export const seconds = (): string => String(Math.floor(Date.now() / 1000))
export const jwt = (key: string, claims: unknown): string => {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${hmac('sha256', key, signed).toString('base64url')}`
}
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
