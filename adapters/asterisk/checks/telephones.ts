import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../../core/errors.ts'
import type { StoredTable, TableRow } from '../../../core/ports/switching/table.ts'
import type { SwitchFinding } from '../../../core/ports/switching.ts'
import { isActive } from '../../../core/rating/deck.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import { isFitName } from '../../../core/switching/fit.ts'
import type { Manager } from '../manager.ts'
import { type Telephone, telephoneRow, telephoneSections, telephonesOf, VIEWS } from '../render/telephones.ts'
import { TABLE_MODULES } from '../setup.ts'
import { isTableShown, NOBODY, nameIn } from '../telephone-place.ts'
import { errorFinding, SEE_DAEMON } from './finding.ts'

/** The telephones where Asterisk reads them. */
export interface StoredTelephones {
  /** The file that they are in. */
  readonly name: string
  /** The database, if they are in one: its path, and the name that Asterisk shows if it reads it. */
  readonly table: { readonly path: string; readonly shows: string } | null
  /** True if the tenant's telephones are there as they should be, or nothing is known. */
  has(tenant: TenantDirectory): boolean
  /** What is wrong with the file. */
  readonly findings: readonly SwitchFinding[]
}

/** Reads the telephones from the table, or from the files of the folder without one. */
export const storedTelephones = (table: StoredTable | null, folder: string): Promise<StoredTelephones> =>
  table ? inTable(table) : inFile(folder)

async function inFile(folder: string): Promise<StoredTelephones> {
  const name = 'pjsip.conf'
  const file = await readFile(join(folder, name), 'utf8').catch(() => null)
  const has = (tenant: TenantDirectory): boolean =>
    file === null || file.includes(telephoneSections(telephonesIn(tenant)))
  return { name, table: null, has, findings: [] }
}

async function inTable({ path, rows }: StoredTable): Promise<StoredTelephones> {
  const name = basename(path)
  const closed = await closedToGroup(path)
  try {
    const found = await rows()
    return {
      ...{ name, table: { path, shows: nameIn(found.get(NOBODY) ?? []) }, findings: closed },
      has: tenant =>
        isDeepStrictEqual(telephonesIn(tenant).map(telephoneRow).toSorted(byId), found.get(tenant.tenant.id) ?? []),
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const unread = errorFinding('telephones_unread', error.message.replace(/\.$/, ''), error.details.hint ?? SEE_DAEMON)
    return { name, table: { path, shows: '' }, has: () => true, findings: [...closed, unread] }
  }
}

const byId = ({ id: one }: TableRow, { id: other }: TableRow): number => (one < other ? -1 : 1)

const GROUP_WRITES = 0o020

/** Whoever opens the database first makes files beside it, which the other must be able to write, too. */
async function closedToGroup(path: string): Promise<SwitchFinding[]> {
  const folder = dirname(path)
  const modeOf = async (at: string): Promise<number | undefined> => (await stat(at).catch(() => null))?.mode
  const [ofFolder = 0, ofFile] = [await modeOf(folder), await modeOf(path)]
  if (((ofFile ?? ofFolder) & ofFolder & GROUP_WRITES) !== 0) return []
  return [
    errorFinding(
      'telephones_closed',
      `Trunkline and Asterisk must both be able to write ${path} and its folder, and the group cannot`,
      `install -d -o trunkline -g asterisk -m 2770 ${folder}${ofFile === undefined ? '' : ` && chmod 660 ${path}*`}`,
    ),
  ]
}

function telephonesIn(directory: TenantDirectory): Telephone[] {
  const { status, slug } = directory.tenant
  return isActive(status) && isFitName(slug) ? telephonesOf(directory, () => undefined) : []
}

/** Finds why Asterisk does not read the telephones where they are, or that it also reads them elsewhere. */
export async function readersFindings(manager: Manager, { table }: StoredTelephones): Promise<SwitchFinding[]> {
  const mappings = await manager.command('core show config mappings')
  const mapped = VIEWS.filter(({ view }) => mappings.includes(view))
  if (!table) return mapped.length === 0 ? [] : [leftFinding]
  if (await isTableShown(manager, table.shows)) return []
  const modules = await manager.command('module show like res_')
  const missing = TABLE_MODULES.filter(name => !modules.includes(`${name}.so`))
  if (missing.length > 0) return [withoutModules(missing)]
  return [mapped.length < VIEWS.length ? unmapped : unread(table.path)]
}

const leftFinding = errorFinding(
  'telephones_twice',
  'Asterisk also reads telephones from a database, which is no longer written: those that were removed can still call',
  'remove the lines with tl_ from sorcery.conf and extconfig.conf, and restart Asterisk',
)

const withoutModules = (missing: readonly string[]): SwitchFinding =>
  errorFinding(
    'telephones_modules',
    `Asterisk runs without ${missing.join(' and ')}, so it reads no telephones from a database`,
    'load them in modules.conf; if this Asterisk has none, remove telephones_db from the settings: telephones are then in pjsip.conf',
  )

const unmapped = errorFinding(
  'telephones_unmapped',
  'Asterisk has no mapping to the database of telephones',
  'copy extconfig.conf, sorcery.conf and res_config_sqlite3.conf from: trunkline switch setup asterisk --telephones database --out DIR',
)

const unread = (path: string): SwitchFinding =>
  errorFinding(
    'telephones_not_read',
    `Asterisk does not read ${path}: res_config_sqlite3.conf must name it, Asterisk must be able to write it, and sorcery.conf must name its views`,
    'restart Asterisk; its log says what it could not open',
  )
