import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Command } from 'commander'
import { commands } from '../../../../adapters/cli/commands/commands.ts'
import { wiringFor } from '../../../../bin/command-line.ts'
import { furnish, missing, unbuilt, type Workplace, workplace } from '../../../support/cli/cli.ts'

let place: Workplace
before(async () => {
  place = workplace()
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(place.path(`trunkline.${shell}`), await place.done(`trunkline completion ${shell}`))
  writeFileSync(place.path('deck one.csv'), '')
  await furnish(place)
  await place.done(`trunkline gateway update Jasmin --name '$(echo x)'`)
  mkdirSync(place.path('bin'))
  const program = resolve('dist/bin/trunkline.js')
  writeFileSync(place.path('bin/trunkline'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(place.path('bin/trunkline'), 0o755)
})
after(() => place.remove())

/** How to ask each shell for completions of a line whose last word is incomplete. */
const SHELLS: Readonly<Record<string, (script: string, words: readonly string[]) => string>> = {
  bash: (script, words) => `source '${script}'
COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_trunkline; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (
    script,
    words,
  ) => `compadd() { shift; print -l -- \${(M)@:#\${words[CURRENT]}*} }; _files() { print -l -- \${words[CURRENT]}*(N) }
source '${script}'; words=(${words.map(word => `'${word}'`).join(' ')}); CURRENT=\${#words}; _trunkline`,
  fish: (script, words) => `source '${script}'; complete -C '${words.join(' ')}' | string replace -r '\\t.*' ''`,
}

function completed(shell: string, line: string): string[] {
  const words = line.split(' ')
  const script = SHELLS[shell]?.(place.path(`trunkline.${shell}`), words) ?? ''
  const { stdout, stderr, status } = spawnSync(shell, shell === 'zsh' ? ['-f', '-c', script] : ['-c', script], {
    encoding: 'utf8',
    cwd: place.folder,
    env: { ...process.env, ...place.env, PATH: `${place.path('bin')}${delimiter}${process.env.PATH}` },
  })
  assert.equal(stderr, '')
  assert.ok(status === 0 || status === 1, `${shell} ended with ${status}`)
  return stdout.split('\n').filter(word => word !== '')
}

/** The same where files are offered; fish escapes their names. */
const files = (shell: string, line: string): string[] => completed(shell, line).map(name => name.replaceAll('\\', ''))

for (const shell of Object.keys(SHELLS))
  describe(`${shell} completes`, { skip: missing(shell) }, () => {
    it('commands and aliases', () => {
      assert.deepEqual(completed(shell, 'trunkline ten'), ['tenant'])
      assert.deepEqual(completed(shell, 'trunkline ext').toSorted(), ['ext', 'extension'])
    })

    it('commands of a group, also of one named by its alias', () => {
      assert.deepEqual(completed(shell, 'trunkline ext cr'), ['create'])
      assert.deepEqual(completed(shell, 'trunkline db b'), ['backup'])
    })

    it('flags, derived from the fields, after whatever stands before', () => {
      assert.deepEqual(completed(shell, 'trunkline tenant create --name X --max'), ['--max-extensions'])
      assert.deepEqual(completed(shell, 'trunkline --quiet tenant show acme --show'), ['--show-secrets'])
    })

    it('values of a flag that has a few', () => {
      assert.deepEqual(completed(shell, 'trunkline tenant list --output nd'), ['ndjson'])
      assert.deepEqual(completed(shell, 'trunkline admin create --role su'), ['supervisor'])
    })

    it('values that a flag has with that command, and no others', () => {
      assert.deepEqual(completed(shell, 'trunkline rate import --format ').toSorted(), ['csv', 'json', 'ndjson'])
      assert.deepEqual(completed(shell, 'trunkline cdr ingest --format asterisk-c'), [
        'asterisk-csv',
        'asterisk-custom',
      ])
      assert.deepEqual(completed(shell, 'trunkline report usage --by dest'), ['destination'])
      assert.deepEqual(completed(shell, 'trunkline audit list --by dest'), [])
    })

    it('values that the declarations give: choices, usual ones, yes and no', () => {
      assert.deepEqual(completed(shell, 'trunkline cdr list --direction ').toSorted(), ['inbound', 'outbound'])
      assert.deepEqual(completed(shell, 'trunkline route add --target-type q'), ['queue'])
      assert.deepEqual(completed(shell, 'trunkline ext update acme/101 --status d'), ['disabled'])
      assert.deepEqual(completed(shell, 'trunkline gateway list --is-active ').toSorted(), ['no', 'yes'])
      assert.deepEqual(completed(shell, 'trunkline audit list --resource sms_'), [
        'sms_gateways',
        'sms_messages',
        'sms_routes',
      ])
      assert.deepEqual(completed(shell, 'trunkline serve --log-level s'), ['silent'])
    })

    it('values of an argument', () =>
      assert.deepEqual(completed(shell, 'trunkline admin role a@b.c su'), ['supervisor']))

    it('files where an argument or a flag takes one, and flags there as well', () => {
      assert.deepEqual(files(shell, 'trunkline rate import de'), ['deck one.csv'])
      assert.deepEqual(files(shell, 'trunkline cdr ingest --format auto de'), ['deck one.csv'])
      assert.deepEqual(files(shell, 'trunkline extension export --out de'), ['deck one.csv'])
      assert.deepEqual(files(shell, 'trunkline --db de'), ['deck one.csv'])
      assert.deepEqual(completed(shell, 'trunkline rate import --mo'), ['--mode'])
    })

    it('nothing where any text may stand, and takes none of it for a command', () => {
      assert.deepEqual(completed(shell, 'trunkline tenant create --name '), [])
      assert.deepEqual(completed(shell, 'trunkline --fields cdr tenant cr'), ['create'])
      assert.deepEqual(completed(shell, 'trunkline --db cdr tenant li'), ['list'])
    })

    it('names of records as commands take them, except those that need quotes', { skip: unbuilt }, () => {
      assert.deepEqual(completed(shell, 'trunkline tenant show a'), ['acme'])
      assert.deepEqual(completed(shell, 'trunkline ext delete ac'), ['acme/101'])
      assert.deepEqual(completed(shell, 'trunkline did list --tenant '), ['acme'])
      assert.deepEqual(completed(shell, 'trunkline rate quote ac'), ['acme'])
      assert.deepEqual(completed(shell, 'trunkline did show +'), ['+380441234567'])
      assert.deepEqual(completed(shell, 'trunkline sms send --gateway '), [])
      assert.deepEqual(completed(shell, 'trunkline tenant show --show'), ['--show-secrets'])
    })

    it('commands after help', () => {
      assert.deepEqual(completed(shell, 'trunkline help ten'), ['tenant'])
      assert.deepEqual(completed(shell, 'trunkline help tenant cr'), ['create'])
    })

    it('shells', () => assert.deepEqual(completed(shell, 'trunkline completion fi'), ['fish']))
  })

const leaves = (command: Command, path: string): [path: string, command: Command][] =>
  command.commands.length === 0
    ? [[path, command]]
    : command.commands.flatMap(sub => leaves(sub, `${path} ${sub.name()}`))

it('a script tells in its first lines how to load it, and the help says so', async () => {
  assert.match(await place.done('trunkline completion --help'), /first lines say how to load it/)
  for (const shell of ['bash', 'zsh', 'fish'])
    assert.match(
      readFileSync(place.path(`trunkline.${shell}`), 'utf8'),
      RegExp(`^(.*\\n)?# .*trunkline completion ${shell}`),
    )
})

describe('bash', { skip: missing('bash') }, () => {
  it('completes every flag of every command, and the choices of those that have some', async () => {
    const all: [string, Command][] = []
    for (const { name, load } of commands) all.push(...leaves(await load(given => given, wiringFor({})), name))
    const asked: [line: string, expected: readonly string[]][] = all.flatMap(([path, { options }]) => [
      [`${path} --`, options.flatMap(({ long }) => long ?? [])],
      ...options.flatMap(({ long, argChoices }): [string, readonly string[]][] =>
        long && argChoices ? [[`${path} ${long} `, argChoices]] : [],
      ),
    ])
    const script = asked.map(([line]) => {
      const words = ['trunkline', ...line.split(' ')].map(word => `'${word}'`)
      return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _trunkline; echo "\${COMPREPLY[*]}"`
    })
    const run = spawnSync('bash', ['-c', [`source '${place.path('trunkline.bash')}'`, ...script].join('\n')], {
      encoding: 'utf8',
    })
    const offered = run.stdout.split('\n')
    for (const [i, [line, expected]] of asked.entries())
      assert.deepEqual(
        expected.filter(word => !offered[i]?.split(' ').includes(word)),
        [],
        line,
      )
  })
})

describe('completion', () => {
  it('of another shell is refused, naming those that there are', async () => {
    assert.deepEqual(await place.run('trunkline completion tcsh'), {
      code: 64,
      stdout: '',
      stderr: 'error: there is no completion for tcsh; there is for bash, zsh, fish\n',
    })
  })
})
