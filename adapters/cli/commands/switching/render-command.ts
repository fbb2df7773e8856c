import { writeFile } from 'node:fs/promises'
import { resolve as absolute, join } from 'node:path'
import { Command } from 'commander'
import { AppError } from '../../../../core/errors.ts'
import type { RenderRequest } from '../../../../core/ports/switching.ts'
import { extensions } from '../../../../core/resources/extensions.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { type Context, say } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import { example } from '../../help.ts'
import { recordMeant, resolve } from '../../naming/references.ts'
import { type RunCommand, takesFields, type Wiring } from '../../program.ts'
import { printOutcome, printValue } from '../../terminal/output.ts'
import { styled } from '../../terminal/styles.ts'
import { noteShown } from '../../trail.ts'
import { switchesSet } from './switches-set.ts'

/** Shows what switches are given, for inspection. */
export function renderCommand(run: RunCommand, wiring: Wiring): Command {
  const command = new Command('render')
    .description("what the switch gets: Asterisk's files, or the answers to FreeSWITCH")
    .argument(
      '[TENANT|TENANT/EXTENSION]',
      'the tenant or extension; without it, all files and what belongs to no tenant',
    )
    .argument('[NUMBER]', 'the answer to FreeSWITCH when that extension dials this number')
    .option('--out <dir>', 'write to files in this folder, which must exist, and overwrite none')
    .option('--show-secrets', 'show secrets and their hashes')
  example(command, 'trunkline switch render acme/101', 'trunkline switch render acme/101 0501234567')
  return run(takesFields(command), async (context, [of, dialled], flags) => {
    const switches = await switchesSet(context, wiring)
    const { request, id } = await requestFrom(context, of, dialled)
    const isShown = flags['showSecrets'] === true
    await noteShown(context, id === null ? tenants.name : extensions.name, isShown, id ?? undefined)
    const parts: Rendered[] = []
    for (const each of switches)
      for (const part of await each.render(request, isShown)) parts.push({ switch: each.kind, ...part })
    if (dialled !== undefined && switches.some(({ kind }) => kind === 'asterisk'))
      say(context, 'Asterisk asks nothing about a call: see the dialplan of the tenant, or trunkline call explain')
    if (flags['out'] !== undefined) return written(context, absolute(String(flags['out'])), parts)
    const rows = parts.map(part => ({ ...part }))
    const heading = (part: Rendered): string => styled(context, 'dim', `# ${part.switch}: ${part.name}`)
    return printValue(context, rows, () => parts.flatMap(part => [heading(part), ...part.text.trimEnd().split('\n')]))
  })
}

interface Rendered {
  readonly switch: string
  readonly name: string
  readonly text: string
}

async function requestFrom(
  context: Context,
  of: string | undefined,
  dialled: string | undefined,
): Promise<{ readonly request: RenderRequest; readonly id: number | null }> {
  if (of === undefined) return { request: { tenant: null, extension: null, dialled: null }, id: null }
  const { records } = await context.open()
  const slugOf = async (id: number): Promise<string> => String((await records.find(tenants, id))?.['slug'])
  if (!of.includes('/')) {
    const tenant = await slugOf(await resolve(records, tenants, of))
    if (dialled !== undefined)
      throw new CliError(EXIT.usage, `an extension dials ${dialled}: name it as ${tenant}/101`, HELP)
    return { request: { tenant, extension: null, dialled: null }, id: null }
  }
  const id = await recordMeant(records, extensions, of)
  const row = await records.find(extensions, id)
  const tenant = await slugOf(Number(row?.['tenant_id']))
  return { request: { tenant, extension: String(row?.['extension_number']), dialled: dialled ?? null }, id }
}

const HELP = 'trunkline switch render --help'

async function written(context: Context, out: string, parts: readonly Rendered[]): Promise<void> {
  for (const { name, text, ...part } of parts) {
    const path = join(out, parts.some(each => each.switch !== part.switch) ? `${part.switch}-${name}` : name)
    try {
      await writeFile(path, text, { flag: 'wx', mode: 0o600 })
    } catch (cause) {
      throw new AppError('cannot_create', `${path} cannot be written: the folder must exist, and the file must not.`, {
        cause,
      })
    }
    await printOutcome(context, { path }, () => [`Written: ${path}`])
  }
}
