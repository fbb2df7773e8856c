import type { RenderedPart, RenderRequest } from '../../core/ports/switching.ts'
import { SECRET_MARK } from '../../core/resources/values/secret-mark.ts'
import { FILES, type FileName } from './render/files.ts'
import { endpointId, exten, section } from './render/lines.ts'
import { telephoneSections } from './render/telephones.ts'
import type { TenantText } from './render/tenant.ts'
import { type SourceParts, source, textOf } from './source.ts'
import { TELEPHONES, type TelephonePlace } from './telephone-place.ts'

export interface RenderedHow {
  readonly hasSecrets: boolean
  /** What holds the telephones: `pjsip.conf`, or what their database is called. */
  readonly telephonesIn: string
}

/** Returns the files, or what one tenant or extension has in them. A single call is in no file. */
export async function renderedParts(
  parts: SourceParts,
  { tenant, extension }: RenderRequest,
  { hasSecrets, telephonesIn }: RenderedHow,
): Promise<RenderedPart[]> {
  const { telephones, ...texts } = await textsOf(parts, tenant, extension)
  const found = [...FILES.map(name => [`${name}.conf`, texts[name] ?? ''] as const), [TELEPHONES, telephones] as const]
  const all = new Map<string, string>()
  for (const [name, text] of found) {
    const within = name === TELEPHONES ? telephonesIn : name
    all.set(within, (all.get(within) ?? '') + text)
  }
  return [...all]
    .filter(([, text]) => text !== '')
    .map(([name, text]) => ({ name, text: hasSecrets ? text : hidden(text) }))
}

/** Telephones as sections, wherever they are. */
type Texts = Readonly<Partial<Record<FileName, string>>> & { readonly [TELEPHONES]: string }

async function textsOf(parts: SourceParts, tenant: string | null, extension: string | null): Promise<Texts> {
  if (tenant === null) return everything(parts)
  const directory = await parts.directory.whole(tenant)
  if (!directory) return { telephones: '' }
  const text = await textOf(parts.rates, directory, await parts.used(directory))
  if (extension !== null) return ofExtension(text, extension)
  const { extensions, queues, voicemail } = text
  return {
    telephones: telephoneSections(text.telephones),
    extensions: extensions + didsOf(text),
    ...{ queues, voicemail },
  }
}

async function everything(parts: SourceParts): Promise<Texts> {
  const all: string[] = []
  const gathering: TelephonePlace = {
    put: async (_, telephones) => {
      all.push(telephoneSections(telephones))
      return ''
    },
    settle: async () => '',
  }
  const { files } = await source(parts, gathering).refresh('all')
  return { ...files, telephones: all.join('') }
}

const didsOf = ({ dids }: TenantText): string =>
  dids.map(({ number, steps }) => section(`tl-dids-${number.slice(-2)}`, [exten(number, ...steps)])).join('')

function ofExtension({ slug, telephones, voicemail }: TenantText, number: string): Texts {
  const box = voicemail.split('\n').filter(line => line.startsWith('[') || line.startsWith(`${number} => `))
  return {
    telephones: telephoneSections(telephones.filter(({ id }) => id === endpointId(slug, number))),
    voicemail: box.length > 1 ? `${box.join('\n')}\n` : '',
  }
}

/** The hash of a secret is as good as the secret. */
const hidden = (text: string): string => text.replaceAll(/^(md5_cred|password) = .*$/gm, `$1 = ${SECRET_MARK}`)
