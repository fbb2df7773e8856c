import type { RenderedPart, RenderRequest } from '../../core/ports/switching.ts'
import { SECRET_MARK } from '../../core/resources/values/secret-mark.ts'
import { FILES } from './render/files.ts'
import { endpointId, exten, section } from './render/lines.ts'
import type { TenantText } from './render/tenant.ts'
import { type SourceParts, source, textOf } from './source.ts'

/** Returns the files, or what one tenant or extension has in them. A single call is in no file. */
export async function renderedParts(
  parts: SourceParts,
  { tenant, extension }: RenderRequest,
  hasSecrets: boolean,
): Promise<RenderedPart[]> {
  const found = await textsOf(parts, tenant, extension)
  return FILES.map(name => ({ name: `${name}.conf`, text: found[name] ?? '' }))
    .filter(({ text }) => text !== '')
    .map(({ name, text }) => ({ name, text: hasSecrets ? text : hidden(text) }))
}

type Texts = Readonly<Partial<Record<(typeof FILES)[number], string>>>

async function textsOf(parts: SourceParts, tenant: string | null, extension: string | null): Promise<Texts> {
  if (tenant === null) return (await source(parts).refresh('all')).files
  const directory = await parts.directory.whole(tenant)
  if (!directory) return {}
  const text = await textOf(parts.rates, directory, await parts.used(directory))
  return extension === null ? { ...text, extensions: text.extensions + didsOf(text) } : ofExtension(text, extension)
}

const didsOf = ({ dids }: TenantText): string =>
  dids.map(({ number, steps }) => section(`tl-dids-${number.slice(-2)}`, [exten(number, ...steps)])).join('')

const SECTION_END = '\n\n'

function ofExtension({ slug, pjsip, voicemail }: TenantText, number: string): Texts {
  const id = `[${endpointId(slug, number)}]`
  const own = pjsip.split(SECTION_END).filter(each => each.startsWith(id))
  const box = voicemail.split('\n').filter(line => line.startsWith('[') || line.startsWith(`${number} => `))
  return {
    pjsip: own.map(each => each + SECTION_END).join(''),
    voicemail: box.length > 1 ? `${box.join('\n')}\n` : '',
  }
}

/** The hash of a secret is as good as the secret. */
const hidden = (text: string): string => text.replaceAll(/^(md5_cred|password) = .*$/gm, `$1 = ${SECRET_MARK}`)
