import { Command } from 'commander'
import { extensions } from '../../../../core/resources/extensions.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { SECRET_MARK } from '../../../../core/resources/values/secret-mark.ts'
import { extensionRefusal, tenantRefusal } from '../../../../core/switching/decide-registration.ts'
import { linkOf, phoneAccount } from '../../../../core/switching/phone-account.ts'
import { type Context, type Services, say } from '../../context.ts'
import { example } from '../../help.ts'
import { recordMeant, referenceForm } from '../../naming/references.ts'
import { type RunCommand, takesFields, type Wiring } from '../../program.ts'
import { printThing } from '../../terminal/output.ts'
import { writeLines } from '../../terminal/streams.ts'
import { styled } from '../../terminal/styles.ts'
import { noteShown } from '../../trail.ts'

/** A link that phones read as an address. Account links depend on the phone's maker: see the setting phone_link. */
const LINK = 'sip:{user}@{domain};transport={transport}'

/** Shows what to enter in a phone. */
export function phoneTool(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('phone')
    .description('the settings for a telephone of an extension; in a terminal, with a QR code')
    .argument(`<${referenceForm(extensions)}>`)
    .option('--show-secrets', 'show the secret')
  example(command, 'trunkline extension phone acme/101 --show-secrets')
  return run(takesFields(command), async (context, [reference = ''], flags) => {
    const services = await context.open()
    const { id, tenant, extension } = await recordsOf(services, reference)
    const isShown = flags['showSecrets'] === true
    await noteShown(context, extensions.name, isShown, id)
    const { phone_server: server, phone_link: template } = wiring.settings(context.options).values
    const [first] = await wiring.switches(context.options)
    const { secret, ...account } = {
      ...phoneAccount(first?.kind ?? 'freeswitch', tenant, extension, textOr(null, server)),
      secret: extension.secret,
    }
    const form = textOr(LINK, template) ?? LINK
    const link = isShown || !form.includes('{secret}') ? linkOf(form, { ...account, secret }) : null
    await printThing(context, {
      ...account,
      secret: isShown ? secret : SECRET_MARK,
      ...(link === null ? {} : { link }),
    })
    if (link !== null) await drawn(context, link)
    const refusal = tenantRefusal(tenant) ?? extensionRefusal(tenant, extension)
    if (refusal) say(context, `this telephone cannot register: ${refusal.reason}`)
  })
}

const textOr = (fallback: string | null, value: unknown): string | null =>
  typeof value === 'string' ? value : fallback

async function recordsOf({ records }: Services, reference: string) {
  const id = await recordMeant(records, extensions, reference)
  const row = await records.find(extensions, id)
  const owner = await records.find(tenants, Number(row?.['tenant_id']))
  const text = (from: typeof row, name: string): string => String(from?.[name] ?? '')
  return {
    id,
    tenant: { slug: text(owner, 'slug'), domain: text(owner, 'domain'), status: text(owner, 'status') },
    extension: {
      number: text(row, 'extension_number'),
      secret: text(row, 'secret'),
      status: text(row, 'status'),
    },
  }
}

/** Draws a QR code in light characters, so without colours it needs a dark terminal. */
async function drawn(context: Context, link: string): Promise<void> {
  const { io, options } = context
  if (options.output !== 'table' || options.fields || !io.stdout.isTTY) return
  const { renderUnicodeCompact } = await import('uqr')
  const lines = renderUnicodeCompact(link, { border: 2 }).split('\n')
  await writeLines(io, ['', ...lines.map(line => styled(context, 'onBlack', styled(context, 'white', line)))])
}
