import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { TYPESCRIPT } from './support/typescript.ts'

/** Runs every test below this folder, or those whose path contains one of the arguments. */
const wanted = process.argv.slice(2)
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.test.ts'))
  .map(path => `test/${path}`)
  .filter(path => wanted.length === 0 || wanted.some(part => path.includes(part)))
  .sort()
const { status } = spawnSync(process.execPath, [...TYPESCRIPT, '--test', '--test-reporter=spec', ...files], {
  stdio: 'inherit',
})
process.exit(files.length === 0 ? 1 : (status ?? 1))
