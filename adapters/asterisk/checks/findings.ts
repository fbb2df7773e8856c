import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../core/errors.ts'
import type { StoredTable } from '../../../core/ports/switching/table.ts'
import type { SwitchFinding } from '../../../core/ports/switching.ts'
import type { Trunk } from '../../../core/switching/directory.ts'
import type { Manager } from '../manager.ts'
import { isShown, MODULES, markerIn } from '../marked.ts'
import { FILES } from '../render/files.ts'
import { trunkNamesIn, trunkSections } from '../render/pjsip.ts'
import { isUsable } from '../render/routes.ts'
import { REALM } from '../render/telephones.ts'
import { NEEDED_MODULES, REPORTING } from '../setup.ts'
import type { SourceParts } from '../source.ts'
import { errorFinding, SEE_DAEMON, warningFinding } from './finding.ts'
import { readersFindings, type StoredTelephones, storedTelephones } from './telephones.ts'

type Connected = <T>(ask: (manager: Manager) => Promise<T>) => Promise<T>

/** What a check examines. */
export interface Examined {
  readonly folder: string
  /** The user of the manager interface. */
  readonly user: string
  /** The database of telephones; null if they are in `pjsip.conf`. */
  readonly table: StoredTable | null
  stored<T>(read: (parts: SourceParts) => Promise<T>): Promise<T>
  readonly connected: Connected
}

/** Returns what is wrong with an Asterisk, as far as it shows from outside. */
export async function findings({ folder, user, table, stored, connected }: Examined): Promise<SwitchFinding[]> {
  const telephones = await storedTelephones(table, folder)
  const { trunks, outdated } = await stored(({ directory }) => compared(directory, { folder, telephones }))
  const found = [...((await isWritable(folder)) ? [] : [unwritable(folder)]), ...telephones.findings, ...outdated]
  try {
    return [...found, ...(await connected(manager => loadedFindings(manager, { folder, user, telephones, trunks })))]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const finding = error.message.replace(/\.$/, '')
    const fix =
      error.code === 'unavailable'
        ? 'start Asterisk, or set asterisk.manager to where its manager interface listens (manager.conf)'
        : "set asterisk.manager to the user and password of Asterisk's manager.conf"
    return [...found, errorFinding('manager', finding, fix)]
  }
}

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )

const unwritable = (folder: string): SwitchFinding =>
  errorFinding(
    'folder',
    `The folder ${folder} of Asterisk's files is not there, or cannot be written`,
    `install -d -o trunkline -g asterisk -m 2750 ${folder}`,
  )

interface Compared {
  /** Those that Asterisk should have. */
  readonly trunks: readonly Trunk[]
  readonly outdated: readonly SwitchFinding[]
}

interface Held {
  readonly folder: string
  readonly telephones: StoredTelephones
}

/** Compares the stored trunks and telephones with what Asterisk reads. */
async function compared(directory: SourceParts['directory'], { folder, telephones }: Held): Promise<Compared> {
  const file = await readFile(join(folder, 'pjsip.conf'), 'utf8').catch(() => null)
  const behind: string[] = []
  let trunks: readonly Trunk[] = []
  for await (const each of directory.all()) {
    trunks = [...each.trunks.values()].filter(isUsable)
    if (!telephones.has(each)) behind.push(each.tenant.slug)
  }
  return {
    trunks,
    outdated: [
      ...(file === null ? [] : trunkFindings(trunks, file)),
      ...(behind.length > 0 ? [telephonesBehind(behind, telephones.name)] : []),
    ],
  }
}

function trunkFindings(trunks: readonly Trunk[], file: string): SwitchFinding[] {
  const changed = trunks.filter(trunk => !file.includes(trunkSections(trunk)))
  const left = trunkNamesIn(file).filter(name => !trunks.some(trunk => trunk.name === name))
  return [
    ...changed.map(({ name }) =>
      errorFinding(
        'trunk_changed',
        `Asterisk does not have trunk ${name} as it is stored: pjsip.conf is older`,
        SEE_DAEMON,
      ),
    ),
    ...left.map(name =>
      errorFinding('trunk_left', `Asterisk still has trunk ${name}, which is inactive or deleted`, SEE_DAEMON),
    ),
  ]
}

const MOST_NAMED = 5

function telephonesBehind(slugs: readonly string[], file: string): SwitchFinding {
  const more = slugs.length - MOST_NAMED
  const named = `${slugs.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return errorFinding(
    'telephones_changed',
    `Asterisk does not have the telephones of ${named} as they are stored: ${file} is older`,
    SEE_DAEMON,
  )
}

interface Loaded extends Held {
  readonly user: string
  readonly trunks: readonly Trunk[]
}

/** Returns what is wrong with what Asterisk has loaded. */
const loadedFindings = async (
  manager: Manager,
  { folder, user, telephones, trunks }: Loaded,
): Promise<SwitchFinding[]> => [
  ...(await fileFindings(manager, folder)),
  ...(await moduleFindings(manager)),
  ...(await readersFindings(manager, telephones)),
  ...(await reportFindings(manager, user)),
  ...(await realmFindings(manager)),
  ...(await tlsFindings(manager, trunks)),
]

async function fileFindings(manager: Manager, folder: string): Promise<SwitchFinding[]> {
  const found: SwitchFinding[] = []
  for (const name of FILES) {
    const path = join(folder, `${name}.conf`)
    const text = await readFile(path, 'utf8').catch(() => null)
    const marker = text === null ? null : markerIn(text)
    if (marker === null) found.push(warningFinding('not_written', `${name}.conf has not been written yet`, SEE_DAEMON))
    else if (!isShown(await manager.command(MODULES[name].show(marker)), marker))
      found.push(
        errorFinding(
          'not_loaded',
          `Asterisk has not loaded ${path}: its own ${name}.conf must have the line #tryinclude ${path}`,
          `asterisk -rx "module reload ${MODULES[name].module}"`,
        ),
      )
  }
  return found
}

async function moduleFindings(manager: Manager): Promise<SwitchFinding[]> {
  const modules = await manager.command('module show')
  const missing = NEEDED_MODULES.filter(name => !modules.includes(`${name}.so`))
  if (missing.length === 0) return []
  return [
    errorFinding(
      'modules',
      `Asterisk runs without modules that calls need: ${missing.join(', ')}`,
      `asterisk -rx "module load ${missing[0]}.so"`,
    ),
  ]
}

/** Refused calls are reported by an application, to a user of the manager interface who may read its events. */
async function reportFindings(manager: Manager, user: string): Promise<SwitchFinding[]> {
  const modules = await manager.command(`module show like ${REPORTING.module}`)
  const permitted = /read perm: *(\S*)/.exec(await manager.command(`manager show user ${user}`))?.[1] ?? ''
  const lacks = [
    ...(modules.includes(`${REPORTING.module}.so`) ? [] : [`load = ${REPORTING.module}.so in modules.conf`]),
    ...(permitted.split(',').some(each => each === REPORTING.permission || each === 'all')
      ? []
      : [`user among the read permissions of ${user} in manager.conf`]),
  ]
  if (lacks.length === 0) return []
  return [
    warningFinding(
      'refusals_unreported',
      'Calls that Asterisk refuses are neither counted nor logged, and a limit on concurrent calls is reached unnoticed',
      `write ${lacks.join(', and ')}, and restart Asterisk`,
    ),
  ]
}

async function realmFindings(manager: Manager): Promise<SwitchFinding[]> {
  const realm = /default_realm\s*: (\S+)/.exec(await manager.command('pjsip show settings'))?.[1]
  if (realm === undefined || realm === REALM) return []
  return [
    errorFinding(
      'realm',
      `default_realm is ${realm}, and telephones' secrets are hashed with ${REALM}: none can register`,
      `set default_realm = ${REALM} in the global section of pjsip.conf`,
    ),
  ]
}

/** A trunk with a transport that Asterisk does not have is called by none. */
async function tlsFindings(manager: Manager, trunks: readonly Trunk[]): Promise<SwitchFinding[]> {
  const encrypted = trunks.filter(({ transport }) => transport === 'tls')
  if (encrypted.length === 0 || /\bParameterName\b/.test(await manager.command('pjsip show transport tls'))) return []
  return encrypted.map(({ name }) =>
    errorFinding(
      'no_tls',
      `Trunk ${name} has the transport tls, and Asterisk has no transport of that name: no call goes out through it`,
      `add the transport [tls] to pjsip.conf (docs/switch-asterisk.md), or: trunkline trunk update ${name} --transport tcp`,
    ),
  )
}
