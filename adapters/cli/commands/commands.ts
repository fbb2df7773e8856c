import type { Command } from 'commander'
import { putDueDecksInForce } from '../../../core/use-cases/calls/later-decks.ts'
import type { Context } from '../context.ts'
import { RESOURCE_COMMANDS } from '../naming/resource-names.ts'
import type { LazyCommand, RunCommand, Wiring } from '../program.ts'
import type { Additions } from './resource-commands.ts'

/** Commands of some resources besides administering their records. */
const TOOLS: Readonly<Record<string, (run: RunCommand, wiring: Wiring) => Promise<Command[]>>> = {
  rates: async run => (await import('./rating/rating-commands.ts')).rateTools(runningWithDueDecks(run), run),
  cdrs: async run => (await import('./calls/call-commands.ts')).callTools(runningWithDueDecks(run)),
  trunks: async run => [(await import('./prefix-route-commands.ts')).trunkRouteCommand(run)],
  extensions: async (run, wiring) => [(await import('./switching/phone-command.ts')).phoneTool(run, wiring)],
  sms_gateways: async (run, wiring) => (await import('./sms/gateway-commands.ts')).gatewayTools(run, wiring),
}

/** Additions to some resources' commands that their declarations do not describe. */
const ADDITIONS: Readonly<Record<string, (wiring: Wiring) => Promise<Additions>>> = {
  sms_gateways: async wiring => (await import('./sms/gateway-commands.ts')).gatewayAdditions(wiring),
}

/** Resources whose commands use rates. */
const DECKED: readonly string[] = ['rates', 'cdrs']

/** Without a daemon, decks that are due are put in force before a command that works on rates or calls. */
const runningWithDueDecks =
  (run: RunCommand): RunCommand =>
  (command, action) =>
    run(command, (context, words, flags) => {
      const open: Context['open'] = async opening => {
        const services = await context.open(opening)
        if (flags['dryRun'] !== true) await putDueDecksInForce(services)
        return services
      }
      return action({ ...context, open }, words, flags)
    })

/** Every command; each loads what it needs when it is called. */
export const commands: readonly LazyCommand[] = [
  {
    name: 'init',
    summary: 'create the database and the first account',
    load: async (run, wiring) => (await import('./service/database-commands.ts')).initCommand(run, wiring),
  },
  {
    name: 'serve',
    summary: 'run the daemon in the foreground',
    load: async (run, wiring) => (await import('./service/service-commands.ts')).serveCommand(run, wiring),
  },
  {
    name: 'status',
    summary: 'how many records there are, and whether the daemon is up',
    load: async (run, wiring) => (await import('./service/service-commands.ts')).statusCommand(run, wiring),
  },
  {
    name: 'doctor',
    summary: 'find what is wrong, and the command that fixes it',
    load: async (run, wiring) => (await import('../doctor/command.ts')).doctorCommand(run, wiring),
  },
  {
    name: 'config',
    summary: 'the settings in force: show, check',
    load: async (run, wiring) => (await import('./service/service-commands.ts')).configCommand(run, wiring),
  },
  {
    name: 'admin',
    summary: 'accounts: list, create, set, passwd, role, disable, enable, delete',
    load: async run => (await import('./service/account-commands.ts')).adminCommand(run),
  },
  {
    name: 'session',
    summary: 'who is logged in: list, revoke',
    load: async run => (await import('./service/session-commands.ts')).sessionCommand(run),
  },
  ...RESOURCE_COMMANDS.map(
    ({ name, resource, summary, alias }): LazyCommand => ({
      name,
      summary,
      ...(alias === undefined ? {} : { alias }),
      load: async (run, wiring) => {
        const { resourceNamed } = await import('../../../core/resources/all.ts')
        const { resourceCommand } = await import('./resource-commands.ts')
        const declared = resourceNamed(resource)
        const running = DECKED.includes(resource) ? runningWithDueDecks(run) : run
        const group = resourceCommand(declared, name, running, await ADDITIONS[resource]?.(wiring))
        const { transferTools } = await import('./transfer-commands.ts')
        const tools = [...transferTools(declared, name, running), ...((await TOOLS[resource]?.(run, wiring)) ?? [])]
        for (const tool of tools) group.addCommand(tool)
        return group
      },
    }),
  ),
  {
    name: 'call',
    summary: 'where a call would go, and why: explain',
    load: async (run, wiring) => (await import('./switching/call-commands.ts')).callCommand(run, wiring),
  },
  {
    name: 'phones',
    summary: 'the telephones that are registered on the switch',
    load: async (run, wiring) => (await import('./switching/live-commands.ts')).phonesCommand(run, wiring),
  },
  {
    name: 'calls',
    summary: 'the calls in progress on the switch; calls end ends one',
    load: async (run, wiring) => (await import('./switching/live-commands.ts')).callsCommand(run, wiring),
  },
  {
    name: 'switch',
    summary: 'the telephone switch: setup, check, status, render',
    load: async (run, wiring) => (await import('./switching/switch-command.ts')).switchCommand(run, wiring),
  },
  {
    name: 'report',
    summary: 'reports of usage and cost: usage',
    load: async run => (await import('./calls/report-commands.ts')).reportCommand(run),
  },
  {
    name: 'audit',
    summary: 'who changed what, and when: list',
    load: async run => (await import('./service/audit-commands.ts')).auditCommand(run),
  },
  {
    name: 'sms',
    summary: 'SMS messages: send, list, show, resend, report, route',
    load: async (run, wiring) => (await import('./sms/sms-commands.ts')).smsCommand(run, wiring),
  },
  {
    name: 'db',
    summary: 'the database: migrate, backup, restore, copy, check',
    load: async (run, wiring) => (await import('./service/database-commands.ts')).dbCommand(run, wiring),
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    load: async (run, wiring) => (await import('./completion.ts')).completionCommand(run, wiring, commands),
  },
  {
    name: 'version',
    summary: 'print the version',
    load: async run => (await import('./completion.ts')).versionCommand(run),
  },
]
