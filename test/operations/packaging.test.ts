import assert from 'node:assert/strict'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { loadSettings, SYSTEM_FILE } from '../../config/load.ts'
import { VERSION } from '../../core/version.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { type Ran, run } from '../support/programs.ts'

const folder = temporaryFolder()
after(folder.remove)

/** Where the package is unpacked. */
const unpacked = join(folder.path, 'package')
let files: string[] = []

interface Sbom {
  readonly bomFormat: string
  readonly metadata: { readonly component: { readonly name: string } }
  readonly components: readonly { readonly 'bom-ref': string; readonly hashes: readonly { readonly alg: string }[] }[]
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly name?: string; readonly version: string; readonly dev?: boolean }>
  >
}

const done = (ran: Ran): string => {
  assert.equal(ran.code, 0, ran.stderr)
  return ran.stdout
}

before(async () => {
  // Without its scripts: the build exists already, and other tests run it.
  const packing = await run('npm', [
    'pack',
    '--ignore-scripts',
    '--silent',
    '--json',
    '--pack-destination',
    folder.path,
  ])
  const [{ filename }]: [{ filename: string }] = JSON.parse(done(packing))
  done(await run('tar', ['-xf', join(folder.path, filename), '-C', folder.path]))
  files = done(await run('find', ['.', '-type', 'f'], { cwd: unpacked }))
    .split('\n')
    .filter(Boolean)
    .map(path => path.slice(2))
  symlinkSync(resolve('node_modules'), join(unpacked, 'node_modules'))
})

describe('the package', { timeout: 30_000 }, () => {
  it('holds both programs compiled, and what an operator needs, but no sources, tests or data', () => {
    for (const path of ['dist/bin/trunkline.js', 'dist/bin/trunklined.js', 'LICENSE', 'package.json'])
      assert.ok(files.includes(path), `${path} is missing`)
    for (const path of ['config/trunklined.service', 'config/trunkline.example.json'])
      assert.ok(files.includes(path), `${path} is missing`)
    assert.deepEqual(
      files.filter(path => path.endsWith('.ts') || /^(test|data|node_modules)\//.test(path)),
      [],
    )
  })

  it('is built before it is packed', () => {
    const { scripts } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'))
    assert.match(scripts.prepack, /\bbuild\b/)
  })

  it('lists its dependencies by name, version and hash, without those of development', async () => {
    const { scripts, files: shipped } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'))
    assert.match(scripts.prepack, /\bconfig\/build\/sbom\.mjs$/)
    assert.ok(shipped.includes('sbom.cdx.json'))
    const path = join(folder.path, 'sbom.cdx.json')
    done(await run(process.execPath, ['config/build/sbom.mjs', path]))
    const text = readFileSync(path, 'utf8')
    const { bomFormat, metadata, components }: Sbom = JSON.parse(text)
    assert.deepEqual([bomFormat, metadata.component.name], ['CycloneDX', 'trunkline'])
    const { packages }: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
    const needed = Object.entries(packages).filter(([place, { dev }]) => place !== '' && !dev)
    const named = needed.map(
      ([place, { name, version }]) => `${name ?? place.replace(/.*node_modules./, '')}@${version}`,
    )
    assert.deepEqual(components.map(component => component['bom-ref']).sort(), [...new Set(named)].sort())
    for (const { hashes } of components) assert.equal(hashes[0]?.alg, 'SHA-512')
    assert.doesNotMatch(text.replace(/"\$schema".*/, ''), /https?:/)
  })

  it('runs where it is unpacked', async () => {
    const cwd = join(folder.path)
    for (const program of ['trunkline', 'trunklined']) {
      const file = join(unpacked, 'dist', 'bin', `${program}.js`)
      assert.match(readFileSync(file, 'utf8'), /^#!\/usr\/bin\/env node\n/)
      assert.equal(done(await run(process.execPath, [file, '--version'], { cwd })).trim(), VERSION)
    }
    const cli = join(unpacked, 'dist', 'bin', 'trunkline.js')
    const init = ['--db', 'x.db', 'init', '--email', 'admin@example.com', '--random-password']
    done(await run(process.execPath, [cli, ...init], { cwd }))
    assert.ok(existsSync(join(cwd, 'x.db')))
  })
})

describe('the service unit', () => {
  it('finds the database where the command line and the example of the settings do', () => {
    const unit = readFileSync(join(unpacked, 'config', 'trunklined.service'), 'utf8')
    const example = join(unpacked, 'config', 'trunkline.example.json')
    const environment = Object.fromEntries(
      [...unit.matchAll(/^Environment=(TRUNKLINE_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    )
    assert.deepEqual(environment, { TRUNKLINE_CONFIG: SYSTEM_FILE })
    const { settings } = loadSettings({ flags: {}, environment: {}, file: example })
    const state = `/var/lib/${/^StateDirectory=(\S+)$/m.exec(unit)?.[1]}`
    assert.deepEqual([settings.db, settings.backup_dir], [`${state}/trunkline.db`, `${state}/backups`])
  })

  it('waits until the daemon reports that it is ready, and does not restart it where that would not help', () => {
    const unit = readFileSync(join(unpacked, 'config', 'trunklined.service'), 'utf8')
    assert.match(unit, /^Type=notify$/m)
    assert.match(unit, /^NotifyAccess=all$/m)
    assert.match(unit, /^RestartPreventExitStatus=64 73 74 77 78$/m)
  })

  it('limits the memory of the daemon, with a heap that leaves room for memory outside it', () => {
    const unit = readFileSync(join(unpacked, 'config', 'trunklined.service'), 'utf8')
    const heap = Number(/^Environment=NODE_OPTIONS=--max-old-space-size=(\d+)$/m.exec(unit)?.[1])
    const most = Number(/^MemoryMax=(\d+)M$/m.exec(unit)?.[1])
    assert.ok(heap > 0 && 1.5 * heap < most, `${heap} of ${most} MiB`)
  })
})
