import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { Argument, Command, Option } from 'commander'
import { AppError } from '../../../../core/errors.ts'
import type { SwitchSetup } from '../../../../core/ports/switching/setup.ts'
import { say } from '../../context.ts'
import { example } from '../../help.ts'
import type { RunCommand, Wiring } from '../../program.ts'

const TELEPHONES = ['file', 'database'] as const
const REGISTRATIONS = ['disk', 'memory'] as const

/** Writes the initial setup of a switch. */
export function setupCommand(run: RunCommand, wiring: Wiring): Command {
  const command = example(
    new Command('setup')
      .description('write the initial configuration of a switch, with new passwords, and say what to do with it')
      .addArgument(new Argument('<SWITCH>', 'the switch').choices(Object.keys(wiring.setups)))
      .requiredOption('--out <dir>', 'the folder to write to; existing files are never overwritten')
      .option(
        '--address <ip>',
        'the address where telephones and carriers reach it (default: that of the default route)',
      )
      .addOption(
        new Option(
          '--telephones <where>',
          'where Asterisk reads telephones: a file (default), or a database, which needs no reload',
        ).choices(TELEPHONES),
      )
      .addOption(
        new Option(
          '--registrations <where>',
          'where FreeSWITCH keeps registrations: on disk (default), or in memory, for many thousands of telephones',
        ).choices(REGISTRATIONS),
      ),
    'trunkline switch setup freeswitch --out freeswitch',
  )
  return run(command, async (context, [kind = ''], { out: folder, address, ...where }) => {
    const make = wiring.setups[kind]
    if (!make) throw new AppError('not_found', `There is no setup for ${kind}.`)
    if (typeof address === 'string' && isIP(address) === 0)
      throw new AppError('malformed', `--address must be an IP address, not ${address}.`)
    const out = resolve(String(folder))
    const telephones = TELEPHONES.find(each => each === where['telephones'])
    const registrations = REGISTRATIONS.find(each => each === where['registrations'])
    const setup = await make(context.options, {
      ...{ out, ...(telephones ? { telephones } : {}), ...(registrations ? { registrations } : {}) },
      address: typeof address === 'string' ? address : null,
    })
    await writeAll(out, setup)
    for (const { path } of setup.files) say(context, `Written: ${join(out, path)}`)
    say(context, `${setup.reach}.`)
    for (const [index, step] of setup.steps.entries()) say(context, `${index + 1}. ${step}`)
  })
}

/** Writes all files or, if any exists already, none. */
async function writeAll(out: string, { files }: SwitchSetup): Promise<void> {
  const paths = files.map(({ path }) => join(out, path))
  const present = await Promise.all(paths.map(async path => ((await stat(path).catch(() => null)) ? [path] : [])))
  const [first] = present.flat()
  if (first !== undefined)
    throw new AppError('cannot_create', `${first} exists already, and may have been edited; choose another folder.`)
  for (const [index, { text }] of files.entries()) {
    const path = paths[index] ?? out
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
    await chmod(path, 0o600)
  }
}
