import { randomBytes } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { RowChange, SwitchTable, TableRow } from '../../core/ports/switching/table.ts'
import { type Manager, type ManagerPlace, onManager } from './manager.ts'
import { isShown } from './marked.ts'
import { type Telephone, telephoneRow, telephoneSections, valueInRow } from './render/telephones.ts'

/** Where Asterisk finds the telephones: in `pjsip.conf`, or in a table. */
export interface TelephonePlace {
  /** Puts a tenant's telephones there. Returns what `pjsip.conf` holds of them. */
  put(tenant: number, telephones: readonly Telephone[]): Promise<string>
  /** Removes those of all other tenants. Returns a remark for `pjsip.conf`, which changes when a reload is needed. */
  settle(tenants: ReadonlySet<number>): Promise<string>
}

/** Read by Asterisk when it reloads. */
export const IN_FILE: TelephonePlace = {
  put: async (_, telephones) => telephoneSections(telephones),
  settle: async () => '',
}

/** Read by Asterisk at each request. */
export interface TelephonesInTable extends TelephonePlace {
  /** True if a telephone has lost its access, or its secret, since the last call. */
  tookAccess(): boolean
  /** What Asterisk shows if it reads this file; empty before it is written. */
  name(): string
}

/** How the table is named where files are listed. */
export const TELEPHONES = 'telephones'

/** Owns a row that no telephone can use: no password has its hash. */
export const NOBODY = 0
const MARKER = '__telephones'

/** `name` tells the file from others; `additions` changes with each new telephone. */
const markerRow = (name: string, additions: string): TableRow =>
  telephoneRow({
    id: MARKER,
    endpoint: {
      ...{ context: 'tl-marker', auth: MARKER, aors: '', callerid: '', mailboxes: '' },
      ...{ accountcode: name, set_var: `TL_ADDITIONS=${additions}` },
    },
    aor: { max_contacts: '0' },
    auth: { username: MARKER, md5_cred: '0'.repeat(32) },
  })

/** Returns the name of the file that has these rows of nobody; empty if it has none. */
export const nameIn = ([marker]: readonly TableRow[]): string =>
  marker ? valueInRow(marker, 'endpoint', 'accountcode') : ''

/** Returns whether Asterisk reads the file of that name. */
export const isTableShown = async (manager: Manager, name: string): Promise<boolean> =>
  name !== '' && isShown(await manager.command(`pjsip show endpoint ${MARKER}`), name)

async function readsTable(manager: Manager, name: string): Promise<void> {
  if (await isTableShown(manager, name)) return
  throw new AppError('conflict', 'Asterisk does not read the database of telephones: none can register.', {
    hint: 'trunkline switch check',
  })
}

/** Whether Asterisk was seen to read the table on the present connection; always true without one. */
export interface TableReading {
  isSeen(): boolean
  /** Asks, unless it was seen. Rejects with `conflict` if Asterisk does not read it. */
  see(): Promise<void>
  /** Forgets what was seen: the connection has ended. */
  forget(): void
}

export function tableReading(table: Pick<TelephonesInTable, 'name'> | null, place: ManagerPlace): TableReading {
  /** The name of the file that was read; empty for none. */
  let seen = ''
  const isSeen = (): boolean => table === null || (seen !== '' && seen === table.name())
  return {
    isSeen,
    see: async () => {
      if (isSeen() || !table) return
      const name = table.name()
      await onManager(place, manager => readsTable(manager, name))
      seen = name
    },
    forget: () => {
      seen = ''
    },
  }
}

export function telephonesInTable(table: SwitchTable): TelephonesInTable {
  let name = ''
  let hasTaken = false
  const note = (changes: readonly RowChange[]): void => {
    hasTaken ||= changes.some(isTaken)
  }
  const mark = async (): Promise<TableRow> => {
    const marker = markerRow(nameIn(await table.rows(NOBODY)) || random(), random())
    await table.replace(NOBODY, [marker])
    return marker
  }
  const isAnyToReload = async (tenant: number, rows: readonly TableRow[]): Promise<boolean> => {
    const present = new Map((await table.rows(tenant)).map(row => [row.id, row]))
    return rows.some(after => needsReload(present.get(after.id) ?? null, after))
  }
  return {
    put: async (tenant, telephones) => {
      const rows = telephones.map(telephoneRow)
      // First: if the service ends between the two, the next one no longer sees that these rows are new.
      if (await isAnyToReload(tenant, rows)) await mark()
      note(await table.replace(tenant, rows))
      return ''
    },
    settle: async tenants => {
      const [present] = await table.rows(NOBODY)
      const marker = present ?? (await mark())
      note(await table.keep(new Set([...tenants, NOBODY])))
      name = nameIn([marker])
      return `; Telephones are in a database; new ones also need a reload: ${valueInRow(marker, 'endpoint', 'set_var')}\n\n`
    },
    tookAccess: () => {
      const has = hasTaken
      hasTaken = false
      return has
    },
    name: () => name,
  }
}

const random = (): string => randomBytes(6).toString('hex')

const isTaken = ({ before, after }: RowChange): boolean =>
  before !== null &&
  (after === null || valueInRow(before, 'auth', 'md5_cred') !== valueInRow(after, 'auth', 'md5_cred'))

/** Only a reload tells Asterisk that there is a new device with a state, or another mailbox to announce. */
const needsReload = (before: TableRow | null, after: TableRow): boolean =>
  before === null || valueInRow(before, 'endpoint', 'mailboxes') !== valueInRow(after, 'endpoint', 'mailboxes')
