import { Command } from 'commander'
import { AppError } from '../../../../core/errors.ts'
import type { JsonObject } from '../../../../core/json.ts'
import type { CallFacts, LiveCall } from '../../../../core/ports/switching.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { trunks } from '../../../../core/resources/trunks.ts'
import type { CallDecision, CallRequest, Refusal, Target } from '../../../../core/switching/decision.ts'
import { explainCall } from '../../../../core/switching/explain.ts'
import { explainedCall } from '../../../../core/use-cases/calls/explained-call.ts'
import { quoted } from '../../command-line.ts'
import { type Context, type Services, say } from '../../context.ts'
import { CliError, EXIT } from '../../exit.ts'
import type { Flags } from '../../fields.ts'
import { example } from '../../help.ts'
import { resolve } from '../../naming/references.ts'
import { tenantArgument, tenantFrom } from '../../naming/tenant-argument.ts'
import type { RunCommand, Wiring } from '../../program.ts'
import { printValue } from '../../terminal/output.ts'
import { sayHint } from '../../terminal/report.ts'
import { styled } from '../../terminal/styles.ts'

export const callCommand = (run: RunCommand, wiring: Wiring): Command =>
  new Command('call').description('where a call would go, and why: explain').addCommand(explainCommand(run, wiring))

const HELP = 'trunkline call explain --help'

function explainCommand(run: RunCommand, wiring: Wiring): Command {
  const command = tenantArgument(new Command('explain').description('where a call goes, and why, step by step'))
    .argument('[EXTENSION]', 'the calling extension')
    .argument('[NUMBER]', 'the number as dialled')
    .usage('[options] [TENANT] <EXTENSION> <NUMBER>')
    .option('--did <number>', 'a call from a carrier to this number instead')
    .option('--trunk <NAME|ID>', 'the trunk that delivers that call (default: the provider of the DID)')
    .option('--from <number>', 'the caller, as the carrier writes it')
  example(
    command,
    'trunkline call explain acme 101 +380501234567',
    'trunkline call explain --did +380441234567 --trunk carrier-one',
  )
  return run(command, async (context, words, flags) => {
    const services = await context.open()
    const asked = await requestFrom(context, services, words, flags)
    const live = await liveCalls(context, wiring)
    const { facts, request, decision } = await explainedCall(services, asked.request, asked.slug, live)
    if (request.from === 'trunk' && request.trunk !== null && flags['trunk'] === undefined)
      say(context, `as a call that trunk ${request.trunk} brings, the provider of the DID; --trunk names another`)
    const explained = explainCall(decision)
    await printValue(context, { ...shown(request, facts, decision), steps: explained.map(each => ({ ...each })) }, () =>
      explained.map(({ about, text }) => `${styled(context, 'dim', about.padEnd(10))}${text}`),
    )
    if (decision.refusal === null) return EXIT.ok
    const extension = request.from === 'extension' ? request.extension : ''
    const hint = hintAt(decision.refusal, facts?.directory.tenant.slug ?? '', extension)
    if (hint !== null) await sayHint(context, hint)
    return EXIT.negative
  })
}

/** Returns the command that shows what is missing, or where it is. */
function hintAt(refusal: Refusal, slug: string, extension: string): string | null {
  switch (refusal) {
    case 'no trunk':
      return 'trunkline trunk route list'
    case 'no rate':
      return `trunkline rate check ${quoted(slug)}`
    case 'limit reached':
    case 'limit unreadable':
    case 'prefix blocked':
    case 'prefix not allowed':
      return `trunkline tenant show ${quoted(slug)} --fields settings`
    case 'no voicemail':
      return `trunkline extension update ${quoted(`${slug}/${extension}`)} --voicemail-enabled yes`
    default:
      return null
  }
}

interface Asked {
  readonly request: CallRequest
  /** Null if only the DID identifies the tenant. */
  readonly slug: string | null
}

function requestFrom(context: Context, services: Services, words: readonly string[], flags: Flags): Promise<Asked> {
  if (flags['did'] !== undefined) return brought(context, services, words, flags)
  if (flags['trunk'] !== undefined || flags['from'] !== undefined)
    throw new CliError(EXIT.usage, '--trunk and --from go with --did', HELP)
  return placed(context, services, words, flags)
}

async function placed(context: Context, services: Services, words: readonly string[], flags: Flags): Promise<Asked> {
  const { tenant, rest } = await tenantFrom(context, words, flags, 2)
  const [extension, dialled] = rest
  if (extension === undefined || dialled === undefined)
    throw new CliError(EXIT.usage, 'an extension and the number that it dials are required, or --did', HELP)
  return { request: { from: 'extension', extension, dialled }, slug: await slugOf(services, tenant) }
}

async function brought(context: Context, services: Services, words: readonly string[], flags: Flags): Promise<Asked> {
  if (words.length > 1) throw new CliError(EXIT.usage, 'with --did, give neither an extension nor another number', HELP)
  const { records } = services
  const id = flags['trunk'] === undefined ? null : await resolve(records, trunks, String(flags['trunk']))
  const trunk = id === null ? null : String((await records.find(trunks, id))?.['name'])
  const hasTenant = words.length > 0 || flags['tenant'] !== undefined
  return {
    request: { from: 'trunk', trunk, caller: String(flags['from'] ?? ''), dialled: String(flags['did']) },
    slug: hasTenant ? await slugOf(services, (await tenantFrom(context, words, flags)).tenant) : null,
  }
}

const slugOf = async ({ records }: Services, tenant: string): Promise<string> =>
  String((await records.find(tenants, await resolve(records, tenants, tenant)))?.['slug'])

/** Returns the calls in progress, as far as the switches tell. */
async function liveCalls(context: Context, wiring: Wiring): Promise<readonly LiveCall[]> {
  const live: LiveCall[] = []
  for (const each of await wiring.switches(context.options))
    try {
      live.push(...(await each.calls()))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      say(context, `calls in progress are not counted: ${error.message}`)
    }
  return live
}

function shown(request: CallRequest, facts: CallFacts | null, decision: CallDecision): JsonObject {
  const common = {
    tenant: facts?.directory.tenant.slug ?? null,
    from: request.from === 'extension' ? request.extension : request.caller,
    ...(request.from === 'trunk' ? { trunk: request.trunk } : {}),
    dialled: request.dialled,
    refusal: decision.refusal,
  }
  if (decision.refusal !== null) return { ...common, reason: decision.reason }
  const { direction, number, targets, maxSeconds } = decision
  return { ...common, direction, number, max_seconds: maxSeconds, targets: targets.map(targetShown) }
}

function targetShown(target: Target): JsonObject {
  switch (target.to) {
    case 'extension':
      return { to: 'extension', extension: target.extension.number, seconds: target.rings }
    case 'queue':
      return {
        to: 'queue',
        queue: target.queue.number,
        agents: target.agents.map(({ extension }) => extension.number),
        seconds: target.queue.timeout,
      }
    case 'voicemail':
    case 'mailbox':
      return { to: target.to, extension: target.extension.number }
    case 'trunk':
      return { to: 'trunk', trunk: target.trunk.name, number: target.number, caller: target.caller }
  }
}
