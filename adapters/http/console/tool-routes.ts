import type { Context } from 'koa'
import type { Need } from '../../../core/access/policy.ts'
import { AUDIT_ACTIONS } from '../../../core/audit.ts'
import { invalid, notFound } from '../../../core/errors.ts'
import { first } from '../../../core/first-items.ts'
import { counted } from '../../../core/format-count.ts'
import { isJsonObject } from '../../../core/json.ts'
import type { Audit } from '../../../core/ports/audit.ts'
import { type Calls, USAGE_GROUPS } from '../../../core/ports/calls.ts'
import { FOREVER, isMonth, midnights, monthOf, type Period } from '../../../core/rating/period.ts'
import { cdrs } from '../../../core/resources/cdrs.ts'
import { boolean, date, integer, Problem, refersTo, text } from '../../../core/resources/field.ts'
import { rates } from '../../../core/resources/rates.ts'
import { smsMessages } from '../../../core/resources/sms-messages.ts'
import { broken } from '../../../core/resources/values/field-errors.ts'
import { parseWhole } from '../../../core/resources/values/input.ts'
import { callRatings } from '../../../core/use-cases/calls/call-ratings.ts'
import { discard, idsIn, type QuarantinePorts, quarantined, replay } from '../../../core/use-cases/calls/quarantine.ts'
import { type QuotePorts, quote, quoteLines, quoteShown } from '../../../core/use-cases/calls/quoting.ts'
import { changeShown, rerateCalls, rerateShown } from '../../../core/use-cases/calls/rerate.ts'
import {
  figures,
  reportShown,
  totalOf,
  type UsagePorts,
  usageReports,
} from '../../../core/use-cases/calls/usage-reports.ts'
import type { Jobs } from '../../../core/use-cases/jobs/jobs.ts'
import type { Messaging } from '../../../core/use-cases/messaging/messaging.ts'
import type { Overview } from '../../../core/use-cases/records/overview.ts'
import { latestInTrail } from '../../../core/use-cases/records/trail.ts'
import { onArea, onRecords } from '../access.ts'
import { jsonBody } from '../bodies/body.ts'
import { whileOpen } from '../resource-routes.ts'
import { respond } from '../responses.ts'
import { idIn, type Route } from '../route.ts'
import { actorOf } from '../sessions/session.ts'

interface ToolUseCases {
  readonly overview: Overview
  readonly messaging: Messaging
}

export interface ConsoleTools extends QuotePorts, UsagePorts, QuarantinePorts {
  readonly records: QuotePorts['records'] & UsagePorts['records']
  readonly calls: QuotePorts['calls'] &
    UsagePorts['calls'] &
    QuarantinePorts['calls'] &
    Pick<Calls, 'ratings' | 'rerate'>
  readonly audit: Pick<Audit, 'list'>
  readonly jobs: Jobs
}

/** What the console does beside administering records. */
export function consoleToolRoutes(tools: ConsoleTools, { overview, messaging }: ToolUseCases): readonly Route[] {
  const route = (path: string, need: Need, methods: Route['methods']): Route => ({
    path: `/api/console/${path}`,
    session: 'required',
    needs: Object.fromEntries(Object.keys(methods).map(method => [method, need])),
    methods,
  })
  return [
    { ...route('pulse', onRecords('read', cdrs), { GET: pulse(overview) }), isUnattended: true },
    route('quote', onRecords('read', rates), { POST: quoting(tools) }),
    route('usage', onRecords('read', cdrs), { GET: usage(tools) }),
    route('calls/rerate', onRecords('change', cdrs), { POST: rerating(tools) }),
    route('messages/:id/resend', onRecords('send', smsMessages), { POST: resending(messaging) }),
    route('calls/:id/ratings', onRecords('read', cdrs), { GET: ratings(tools) }),
    route('audit', onArea('read', 'audit'), { GET: trail(tools) }),
    route('quarantine', onArea('read', 'quarantine'), { GET: waiting(tools) }),
    route('quarantine/replay', onArea('change', 'quarantine'), { POST: replaying(tools) }),
    route('quarantine/discard', onArea('change', 'quarantine'), { POST: discarding(tools) }),
  ]
}

const pulse = (overview: Overview) => async (ctx: Context) =>
  respond(ctx, 200, 'Figures gathered.', JSON.stringify(await overview()))

/** The fields of a request for a quote. */
export const quoteFields = {
  tenant_id: refersTo('tenants', 'keep'),
  number: text(50, { examples: ['+380501234567'] }),
  seconds: integer({ min: 0, max: 10_000_000, fallback: 60, unit: 'seconds' }),
  at: date({ optional: true }),
}

const quoting = (tools: ConsoleTools) => async (ctx: Context) => {
  const { tenant_id, number, seconds, at } = parseWhole(quoteFields, await jsonBody(ctx))
  const quoted = await quote(tools, { tenantId: tenant_id, number, seconds, at })
  respond(ctx, 200, 'Call quoted.', JSON.stringify({ ...quoteShown(quoted), lines: quoteLines(quoted) }))
}

/** The fields of a request to rate calls again: a month, or days, in the tenant's zone. */
export const rerateFields = {
  tenant_id: refersTo('tenants', 'keep'),
  month: text(7, { optional: true, examples: ['2026-10'] }),
  from: text(10, { optional: true, examples: ['2026-10-01'] }),
  to: text(10, { optional: true, examples: ['2026-10-15'] }),
  unrated_only: boolean(),
  dry_run: boolean(),
}

/** How many changes a person is shown one by one. */
const CHANGES_SHOWN = 50

const rerating = (tools: ConsoleTools) => async (ctx: Context) => {
  const { tenant_id, month, from, to, unrated_only, dry_run } = parseWhole(rerateFields, await jsonBody(ctx))
  if (month !== null && !isMonth(month)) throw invalid([NO_MONTH])
  const period = (zone: string): Period => {
    if (month !== null) return monthOf(month, zone)
    const midnight = midnights(zone)
    return { from: from === null ? FOREVER.from : midnight(from), to: to === null ? FOREVER.to : midnight(to) }
  }
  const request = { tenantId: tenant_id, period, unratedOnly: unrated_only }
  const options = { dryRun: dry_run, sample: CHANGES_SHOWN, by: actorOf(ctx), signal: whileOpen(ctx.res) }
  const { changes, ...result } = await rerateCalls(tools, request, options)
  const body = { ...rerateShown(result, dry_run), changes: changes.map(changeShown) }
  const said = `${dry_run ? 'Would change' : 'Changed'} ${result.changed} of ${counted(result.examined, 'call')}.`
  respond(ctx, 200, said, JSON.stringify(body))
}

/** The fields of a request to send a message again. */
export const resendFields = {
  gateway_id: refersTo('sms_gateways', 'keep', { optional: true }),
  force: boolean(),
}

const resending = (messaging: Messaging) => async (ctx: Context) => {
  const id = idIn(ctx.params.id)
  if (id === null) throw notFound(smsMessages.label)
  const { gateway_id, force } = parseWhole(resendFields, await jsonBody(ctx))
  const json = await messaging.resend(id, {
    ...(gateway_id === null ? {} : { gatewayId: gateway_id }),
    isForced: force,
    by: actorOf(ctx),
  })
  respond(ctx, 200, 'SMS request processed.', json)
}

const one = (value: string | string[] | undefined): string | undefined => {
  const last = Array.isArray(value) ? value.at(-1) : value
  return last === '' ? undefined : last
}

const NO_MONTH = broken('month', new Problem('format', 'must be a month such as 2026-10'))

const usage = (tools: ConsoleTools) => async (ctx: Context) => {
  const by = USAGE_GROUPS.find(group => group === one(ctx.query.by)) ?? null
  const month = one(ctx.query.month) ?? ''
  if (!isMonth(month)) throw invalid([NO_MONTH])
  const request = { tenantId: idIn(one(ctx.query.tenant)), month, by }
  const reports = await usageReports(tools, request, whileOpen(ctx.res))
  const body = { total: figures(totalOf(reports)), reports: reports.map(report => reportShown(report, by)) }
  respond(ctx, 200, 'Usage reported.', JSON.stringify(body))
}

const ratings = (tools: ConsoleTools) => async (ctx: Context) => {
  const id = idIn(ctx.params.id)
  if (id === null) throw notFound(cdrs.label)
  respond(ctx, 200, 'Ratings loaded.', JSON.stringify(await callRatings(tools, id)))
}

/** The number of entries or records shown at once. */
const AT_ONCE = 100

const refusedIn = (name: string): Problem =>
  new Problem('format', name === 'action' ? `must be one of ${AUDIT_ACTIONS.join(', ')}` : 'must be an id')

const trail = (tools: ConsoleTools) => async (ctx: Context) => {
  const { query } = ctx
  const [actor, resource] = [query.actor, query.resource].map(one)
  const action = AUDIT_ACTIONS.find(each => each === one(query.action))
  const [record, from] = [idIn(one(query.record)), idIn(one(query.before))]
  const isKnown = { action: action !== undefined, record: record !== null, before: from !== null }
  const errors = Object.entries(isKnown).flatMap(([name, known]) =>
    known || one(query[name]) === undefined ? [] : [broken(name, refusedIn(name))],
  )
  if (errors.length > 0) throw invalid(errors)
  const { shown, isMore } = await latestInTrail(
    tools,
    {
      ...FOREVER,
      ...(actor === undefined ? {} : { actor }),
      ...(action === undefined ? {} : { action }),
      ...(resource === undefined ? {} : { resource }),
      ...(record === null ? {} : { recordId: record }),
      ...(from === null ? {} : { before: from }),
      ...(one(query.security) === 'true' ? { security: true } : {}),
    },
    AT_ONCE,
    whileOpen(ctx.res),
  )
  respond(ctx, 200, 'Audit trail loaded.', JSON.stringify({ entries: shown, is_more: isMore }))
}

const waiting = (tools: ConsoleTools) => async (ctx: Context) => {
  const [reason, feed] = [one(ctx.query.reason), one(ctx.query.feed)]
  const filter = { ...(reason === undefined ? {} : { reason }), ...(feed === undefined ? {} : { feed }) }
  const { shown, isMore } = await first(quarantined(tools, filter), AT_ONCE)
  const records = shown.map(({ rules, ...each }) => ({ ...each, timezone: rules.timezone }))
  respond(ctx, 200, 'Quarantine loaded.', JSON.stringify({ records, is_more: isMore }))
}

const replaying = (tools: ConsoleTools) => async (ctx: Context) => {
  const body = await jsonBody(ctx)
  const ids = isJsonObject(body) && body['ids'] !== undefined ? { ids: new Set(idsIn(body['ids'])) } : {}
  const outcome = await replay(tools, ids)
  respond(ctx, 200, `Replayed ${outcome.replayed}, left ${outcome.left}.`, JSON.stringify(outcome))
}

const discarding = (tools: ConsoleTools) => async (ctx: Context) => {
  const body = await jsonBody(ctx)
  const discarded = await discard(tools, idsIn(isJsonObject(body) ? body['ids'] : undefined))
  respond(ctx, 200, `Discarded ${discarded}.`, JSON.stringify({ discarded }))
}
