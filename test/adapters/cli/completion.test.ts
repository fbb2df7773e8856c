import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { missing, type Workplace, workplace } from '../../support/cli.ts'

let place: Workplace
before(async () => {
  place = workplace()
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(place.path(`trunkline.${shell}`), await place.done(`trunkline completion ${shell}`))
})
after(() => place.remove())

/** How each shell is asked what may follow a line, the last word of which is begun. */
const SHELLS: Readonly<Record<string, (script: string, words: readonly string[]) => string>> = {
  bash: (script, words) => `source '${script}'
COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_trunkline; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (script, words) => `compadd() { shift; print -l -- \${(M)@:#\${words[CURRENT]}*} }; _files() { : }
source '${script}'; words=(${words.map(word => `'${word}'`).join(' ')}); CURRENT=\${#words}; _trunkline`,
  fish: (script, words) => `source '${script}'; complete -C '${words.join(' ')}' | string replace -r '\\t.*' ''`,
}

function completed(shell: string, line: string): string[] {
  const words = line.split(' ')
  const script = SHELLS[shell]?.(place.path(`trunkline.${shell}`), words) ?? ''
  const { stdout, stderr, status } = spawnSync(shell, shell === 'zsh' ? ['-f', '-c', script] : ['-c', script], {
    encoding: 'utf8',
    cwd: place.folder,
    env: { ...process.env, HOME: place.folder },
  })
  assert.equal(stderr, '')
  assert.ok(status === 0 || status === 1, `${shell} ended with ${status}`)
  return stdout.split('\n').filter(word => word !== '')
}

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

    it('shells', () => assert.deepEqual(completed(shell, 'trunkline completion fi'), ['fish']))
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
