import type { RenderedPart, RenderRequest } from '../../../core/ports/switching.ts'
import { SECRET_MARK } from '../../../core/resources/values/secret-mark.ts'
import { type FreeswitchLookupParts, freeswitchLookups } from '../lookups/lookups.ts'
import { contextOf } from '../names.ts'

/** Returns the answers that FreeSWITCH gets to its requests. Calls in progress are not counted. */
export async function renderedParts(
  stored: Pick<FreeswitchLookupParts, 'directory' | 'clock' | 'key'>,
  { tenant, extension, dialled }: RenderRequest,
  hasSecrets: boolean,
): Promise<RenderedPart[]> {
  const { answer } = freeswitchLookups({ ...stored, cdrFolder: null, onDecision: () => undefined }, 0)
  const part = async (name: string, form: Readonly<Record<string, string>>): Promise<RenderedPart> => {
    const text = await answer(new URLSearchParams(form).toString())
    return { name, text: `${hasSecrets ? text : hidden(text)}\n` }
  }
  if (tenant === null) return [await part('gateways.xml', GATEWAYS), await part('callcenter.xml', QUEUES)]
  const directory = await stored.directory.whole(tenant)
  if (!directory) return []
  if (extension === null)
    return Promise.all(
      [...directory.queues.keys()].map(number =>
        part(`callcenter-${number}.xml`, { ...QUEUES, 'CC-Queue': `${number}@${tenant}` }),
      ),
    )
  return [
    dialled === null
      ? await part('directory.xml', registration(extension, directory.tenant.domain))
      : await part('dialplan.xml', call(tenant, extension, dialled)),
  ]
}

const GATEWAYS = { section: 'directory', purpose: 'gateways' }
const QUEUES = { section: 'configuration', key_value: 'callcenter.conf' }

const registration = (user: string, domain: string): Record<string, string> => ({
  ...{ section: 'directory', action: 'sip_auth', sip_auth_method: 'REGISTER' },
  ...{ user, domain, sip_to_user: user, sip_to_host: domain },
})

const call = (slug: string, extension: string, dialled: string): Record<string, string> => ({
  ...{ section: 'dialplan', 'Hunt-Context': contextOf({ slug }), 'Hunt-Destination-Number': dialled },
  ...{ variable_user_name: extension, variable_accountcode: slug },
})

const hidden = (text: string): string =>
  text.replaceAll(/(<param name="(?:password|a1&#45;hash)" value=")[^"]*/g, `$1${SECRET_MARK}`)
