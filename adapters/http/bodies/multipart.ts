import { Busboy } from '@fastify/busboy'

const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i

/** Each part costs the parser a tenth of a millisecond, whatever is in it. */
const MAX_PARTS = 100
const MAX_NAME = 255

/**
 * The names and values of a multipart form, in their order; files are passed over. null if it has more than a hundred
 * parts. Rejects if it has no boundary, or no end.
 */
export async function multipartFields(contentType: string, body: Buffer): Promise<[string, string][] | null> {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  const boundary = `--${quoted ?? plain ?? ''}`
  // The last one ends the form, and what comes before the first is not part of it.
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
