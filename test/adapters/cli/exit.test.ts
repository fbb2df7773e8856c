import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Wiring } from '../../../adapters/cli/program.ts'
import { AppError, type ErrorCode } from '../../../core/errors.ts'
import { furnish, type Workplace, workplace } from '../../support/cli/cli.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

describe('every error of the core', () => {
  const codes: Readonly<Record<ErrorCode, number>> = {
    malformed: 65,
    invalid: 65,
    unauthenticated: 77,
    invalid_credentials: 77,
    forbidden: 77,
    not_found: 66,
    method_not_allowed: 64,
    conflict: 65,
    too_large: 65,
    unsupported_media: 65,
    too_many_attempts: 75,
    busy: 75,
    unavailable: 69,
    outcome_unknown: 69,
    storage_full: 74,
    read_only: 77,
    cannot_create: 73,
    configuration: 78,
    outdated: 78,
    corrupt: 74,
    internal: 70,
  }
  for (const [code, exit] of Object.entries(codes))
    it(`has an exit code on opening the database: ${code} ends with ${exit}`, async () => {
      const wiring = (given: Wiring): Wiring => ({
        ...given,
        open: async () => {
          throw new AppError(code as ErrorCode, 'It went wrong.')
        },
      })
      const ran = await place.run('trunkline tenant list', { wiring })
      assert.deepEqual(ran, { code: exit, stdout: '', stderr: 'error: It went wrong.\n' })
    })

  it('of the system is reported by what it was about', async () => {
    for (const [code, exit, sentence] of [
      ['ENOENT', 66, 'there is no such file or folder'],
      ['EACCES', 77, 'this user may not do that'],
      ['EROFS', 77, 'the file system is read-only'],
      ['EDQUOT', 74, 'the quota is used up'],
      ['EIO', 74, 'the disk could not be read or written'],
    ] as const) {
      const wiring = (given: Wiring): Wiring => ({
        ...given,
        open: async () => {
          throw Object.assign(new Error(code), { code, syscall: 'open', path: 'some/file' })
        },
      })
      const stderr = `error: some/file: ${sentence} (${code})\n`
      assert.deepEqual(await place.run('trunkline tenant list', { wiring }), { code: exit, stdout: '', stderr })
    }
  })

  it('of a full disk ends an export with 74', { skip: existsSync('/dev/full') ? false : 'no /dev/full' }, async () => {
    const stderr = 'error: cannot write /dev/full: the disk is full (ENOSPC)\n'
    assert.deepEqual(await place.run('trunkline tenant export --out /dev/full'), { code: 74, stdout: '', stderr })
  })

  it('is distinguished from a bug, which says so and how to report it', async () => {
    const wiring = (given: Wiring): Wiring => ({
      ...given,
      open: async () => {
        throw new TypeError('x is not a function')
      },
    })
    assert.deepEqual(await place.run('trunkline tenant list', { wiring }), {
      code: 70,
      stdout: '',
      stderr: 'error: this is a bug in trunkline: x is not a function\nhint: trunkline tenant list --verbose\n',
    })
    const { stderr } = await place.run('trunkline tenant list --verbose', { wiring })
    assert.match(stderr, /^TypeError: x is not a function\n {4}at /m)
  })
})
