import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { openServices } from '../../bin/services.ts'
import { loadSettings } from '../../config/load.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import { sampleBody } from '../support/data/samples.ts'
import { temporaryFolder } from '../support/http/app.ts'

it('a user without a name is known by number', async t => {
  const folder = temporaryFolder()
  t.mock.method(os, 'userInfo', () => {
    throw new Error('ENOENT')
  })
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
    folder.remove()
  })
  const { settings } = loadSettings({ flags: { db: join(folder.path, 'x.db') }, environment: {}, file: undefined })
  const { administration, audit, close } = await openServices(settings, { create: true, migrate: true })
  await administration.create(resourceNamed('tenants'), sampleBody(resourceNamed('tenants')))
  const actors = []
  for await (const { actor } of audit.list({ from: '', to: '9' })) actors.push(actor)
  assert.deepEqual(actors, [`uid ${process.getuid?.()}`])
  await close()
})
