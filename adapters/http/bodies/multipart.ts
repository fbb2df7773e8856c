import { Busboy } from '@fastify/busboy'

const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i

/** Each part costs the parser a tenth of a millisecond, whatever it holds. */
const MAX_PARTS = 100
const MAX_NAME = 255

/**
 * Returns the names and values of a multipart form, in order, without files; null if it has more than a hundred parts.
 * Rejects if the boundary or the end is missing.
 */
export async function multipartFields(contentType: string, body: Buffer): Promise<[string, string][] | null> {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  const boundary = `--${quoted ?? plain ?? ''}`
  // One more for the closing boundary, and one for what precedes the first.
  if (body.toString('latin1').split(boundary, MAX_PARTS + 3).length > MAX_PARTS + 2) return null
  return new Promise((resolve, reject) => {
    const found: [string, string][] = []
    const limits = { files: 0, fieldNameSize: MAX_NAME, fieldSize: body.length }
    const parser = new Busboy({ headers: { 'content-type': contentType }, limits })
    parser.on('field', (name, value) => found.push([name, value]))
    parser.once('error', reject)
    parser.once('finish', () => resolve(found))
    parser.end(body)
  })
}
