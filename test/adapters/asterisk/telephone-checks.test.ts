import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { readersFindings, storedTelephones } from '../../../adapters/asterisk/checks/telephones.ts'
import type { Manager } from '../../../adapters/asterisk/manager.ts'
import { TELEPHONE_TABLE, telephonesOf, VIEWS } from '../../../adapters/asterisk/render/telephones.ts'
import { TABLE_MODULES } from '../../../adapters/asterisk/setup.ts'
import { telephonesInTable } from '../../../adapters/asterisk/telephone-place.ts'
import { storedTable, switchTable } from '../../../adapters/sqlite/switching/switch-table.ts'
import { directory, extension } from '../../support/switching/directory.ts'

const acme = directory({})

describe('a check of telephones in a database', () => {
  let folder: string
  let path: string

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trunkline-checked-'))
    chmodSync(folder, 0o2770)
    path = join(folder, 'telephones.db')
    const table = switchTable(path, TELEPHONE_TABLE)
    const place = telephonesInTable(table)
    await place.put(
      acme.tenant.id,
      telephonesOf(acme, () => undefined),
    )
    await place.settle(new Set([acme.tenant.id]))
    table.close()
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const stored = () => storedTelephones(storedTable(path, TELEPHONE_TABLE), folder)
  const codes = async (): Promise<string[]> => (await stored()).findings.map(({ code }) => code)
  /** What an Asterisk with these outputs is found to do wrong. */
  const found = async (outputs: Readonly<Record<string, string>>, isInFile = false): Promise<string[]> => {
    const never = (): never => assert.fail('it is asked for its output alone')
    const manager: Manager = {
      ...{ ask: never, list: never, close: never, closed: Promise.resolve() },
      command: async text => outputs[text] ?? '',
    }
    const telephones = isInFile ? await storedTelephones(null, folder) : await stored()
    return (await readersFindings(manager, telephones)).map(({ code }) => code)
  }
  const mappings = VIEWS.map(({ view }) => `===> ${view} (db=trunkline, table=${view})`).join('\n')
  const modules = TABLE_MODULES.map(name => `${name}.so`).join('\n')

  test('finds nothing where Asterisk shows the name of the file, and has the telephones as stored', async () => {
    const { table, has, findings } = await stored()
    assert.deepEqual(findings, [])
    assert.match(table?.shows ?? '', /^[0-9a-f]{12}$/)
    assert.deepEqual(await found({ 'pjsip show endpoint __telephones': `accountcode : ${table?.shows}` }), [])
    assert.equal(has(acme), true)
    assert.equal(has(directory({ extensions: [extension('101', { secret: 'new' }), extension('102')] })), false)
    assert.equal(has(directory({ extensions: [extension('101')] })), false)
    assert.equal(has(directory({ tenant: { status: 'suspended' } })), false)
  })

  for (const [what, outputs, expected] of [
    ['the modules that read it', { 'core show config mappings': mappings }, 'asterisk_telephones_modules'],
    ['the mapping to it', { 'module show like res_': modules }, 'asterisk_telephones_unmapped'],
    [
      'the right file',
      {
        'module show like res_': modules,
        'core show config mappings': mappings,
        'pjsip show endpoint __telephones': 'accountcode : 000000000000',
      },
      'asterisk_telephones_not_read',
    ],
  ] as const)
    test(`says that Asterisk lacks ${what}`, async () => {
      assert.deepEqual(await found(outputs), [expected])
    })

  test('warns of a database that Asterisk still reads when telephones are in the file again', async () => {
    assert.deepEqual(await found({ 'core show config mappings': mappings }, true), ['asterisk_telephones_twice'])
    assert.deepEqual(await found({}, true), [])
  })

  test('finds a file or a folder that the group cannot write, and one that cannot be read', async () => {
    chmodSync(path, 0o640)
    assert.deepEqual(await codes(), ['asterisk_telephones_closed'])
    chmodSync(path, 0o660)
    chmodSync(folder, 0o2750)
    assert.deepEqual(await codes(), ['asterisk_telephones_closed'])
    chmodSync(folder, 0o2770)
    assert.deepEqual(await codes(), [])
    for (const [text, code] of [
      ['', 'asterisk_telephones_unread'],
      ['no database '.repeat(100), 'asterisk_telephones_unread'],
    ] as const) {
      for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
      writeFileSync(path, text)
      assert.deepEqual(await codes(), [code])
    }
  })

  test('finds a file or a folder that is missing, with a command that works without it', async () => {
    rmSync(path)
    assert.deepEqual(await codes(), ['asterisk_telephones_unread'])
    rmSync(folder, { recursive: true })
    const [closed, unread] = (await stored()).findings
    assert.deepEqual([closed?.code, unread?.code], ['asterisk_telephones_closed', 'asterisk_telephones_unread'])
    assert.equal(closed?.fix, `install -d -o trunkline -g asterisk -m 2770 ${folder}`)
  })
})
