import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import type { Command } from 'commander'
import { commands } from '../../../adapters/cli/commands/commands.ts'
import { flagOf } from '../../../adapters/cli/fields.ts'
import { RESOURCE_COMMANDS } from '../../../adapters/cli/naming/resource-names.ts'
import { sampleReference } from '../../../adapters/cli/terminal/samples.ts'
import { wiringFor } from '../../../bin/command-line.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { unbuilt, type Workplace, workplace } from '../../support/cli/cli.ts'
import { run } from '../../support/programs.ts'

const paths = (command: Command, path: string): string[] => [
  path,
  ...command.commands.flatMap(sub => paths(sub, `${path} ${sub.name()}`)),
]

const all = ['']
for (const { name, load } of commands) all.push(...paths(await load(given => given, wiringFor({})), name))

let place: Workplace
before(() => {
  place = workplace()
})
after(() => place.remove())

const help = (path: string, columns: number): Promise<string> => place.done(`trunkline ${path} --help`, { columns })

const words = (text: string): string[] => text.split(/\s+/).filter(word => word !== '\\')

describe('at 80 columns', () => {
  for (const path of all)
    it(`no line of the help is wider, nor broken inside a word: trunkline ${path}`, async () => {
      const narrow = await help(path, 80)
      assert.deepEqual(
        narrow.split('\n').filter(line => line.length > 80),
        [],
      )
      assert.deepEqual(words(narrow), words(await help(path, 1_000)))
    })
})

test('no line of the help of trunklined is wider than 80 columns', { skip: unbuilt }, async () => {
  const { stdout } = await run(process.execPath, ['dist/bin/trunklined.js', '--help'])
  assert.match(stdout, /TRUNKLINE_FEEDS/)
  assert.deepEqual(
    stdout.split('\n').filter(line => line.length > 80),
    [],
  )
})

describe('the help', () => {
  for (const path of all)
    it(`shows no default that is nothing: trunkline ${path}`, async () => {
      assert.doesNotMatch(await help(path, 1_000), /default: (\[\]|\{\}|""|undefined|null)\)/)
    })
})

test('the list of commands names all that a command groups, or none of them', async () => {
  for (const { name, summary, load } of commands) {
    const [, named] = /: ([a-z, ]+)$/.exec(summary) ?? []
    const group = await load(given => given, wiringFor({}))
    if (named !== undefined)
      assert.deepEqual(named.split(', ').toSorted(), group.commands.map(sub => sub.name()).toSorted(), name)
  }
})

describe('the flags of a field', () => {
  const COMMANDS = ['tenant', 'extension', 'did', 'queue', 'rate', 'gateway', 'cdr', 'device', 'agent', 'route']

  it('say that it is required where a record is made, and only there', async () => {
    for (const name of COMMANDS) {
      const { resource = '' } = RESOURCE_COMMANDS.find(known => known.name === name) ?? {}
      const made = (await help(`${name} create`, 1_000)).replaceAll(/\n {4,}/g, '  ')
      for (const [field, declared] of Object.entries(resourceNamed(resource).fields)) {
        const flag = `--${flagOf(field, declared)}`
        const line = made.split('\n').find(each => each.trim().startsWith(`${flag} `)) ?? assert.fail(flag)
        assert.equal(/\([^)]*required/.test(line), declared.required, `${name} ${line}`)
      }
    }
    assert.doesNotMatch(await help('tenant update', 1_000), /required/)
    assert.match(await help('sms send', 1_000), /--to <number> .*\(required\)/)
  })

  it('say what a number counts, and by which zone a moment is read', async () => {
    assert.match(await help('queue create', 1_000), /--timeout <number> +timeout \(seconds, required\)/)
    assert.match(await help('rate update', 1_000), /--billing-increment <number> +billing increment \(seconds\)/)
    assert.match(await help('cdr update', 1_000), /--ended-at <date> +ended at \(UTC unless it has a zone\)/)
  })
})

describe('an example that is wider than the terminal', () => {
  it('continues below in shell syntax, an option next to its value', async () => {
    const [, example] = (await help('route add', 80)).split('Example:\n')
    assert.equal(
      example,
      '  trunkline route add --did +380441234567 --target-type extension \\\n    --target acme/101\n',
    )
  })
})

test('an example quotes a name with a blank', () => {
  assert.equal(sampleReference({ ...resourceNamed('tenants'), key: ['name'] }), "'Acme Ltd'")
})
