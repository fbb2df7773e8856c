import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { furnish, type Ran, type Workplace, workplace } from '../../../support/cli/cli.ts'

let place: Workplace
before(async () => {
  place = workplace()
  await furnish(place)
})
after(() => place.remove())

const ended = async (line: string, expected: Partial<Ran>, options = {}): Promise<void> => {
  const ran = await place.run(line, options)
  assert.deepEqual(ran, { code: 0, stdout: '', stderr: '', ...expected })
}

describe('creating', () => {
  it('prints the record, and a generated secret this once', async () => {
    const { code, stdout, stderr } = await place.run(
      'trunkline ext create --tenant acme --extension-number 102 --display-name Bob --generate-secret --status active',
    )
    assert.deepEqual([code, stderr], [0, 'Extension created.\n'])
    assert.match(stdout, /^secret {13}[\w-]{24}$/m)
  })

  it('reads a secret from standard input, and does not print it', async () => {
    const line =
      'trunkline ext create --tenant acme --extension-number 103 --display-name Ann --secret-file - --status active'
    const { stdout } = await place.run(`${line} --output json`, { input: 'from a pipe\nnot this\n' })
    assert.equal(stdout.includes('from a pipe'), false)
    assert.equal((await place.json('trunkline ext show acme/103 --show-secrets')).secret, 'from a pipe')
  })

  it('reports every field that breaks a rule, with its flag', () =>
    ended('trunkline queue create --tenant acme --name Q --timeout 0', {
      code: 65,
      stderr: `error: --queue-number: The queue number field is required.
error: --strategy: The strategy field is required.
error: --timeout: The timeout field must be at least 1.
error: --status: The status field is required.
hint: trunkline queue create --help
`,
    }))

  it('shows errors as JSON where data are requested as JSON', async () => {
    const { code, stderr } = await place.run('trunkline agent add --queue acme/800 --output json')
    assert.deepEqual(
      [code, JSON.parse(stderr)],
      [
        65,
        {
          error: {
            code: 'invalid',
            message: 'The extension id field is required.',
            errors: { extension_id: ['The extension id field is required.'] },
            hint: 'trunkline agent add --help',
            exit_code: 65,
          },
        },
      ],
    )
  })

  it('refuses a taken name', () =>
    ended(
      'trunkline tenant create --name B --slug acme --domain b.example.com --status active --timezone UTC --max-extensions 1',
      {
        code: 65,
        stderr: 'error: --slug: The slug has already been taken.\nhint: trunkline tenant create --help\n',
      },
    ))

  it('refuses invalid JSON', () =>
    ended("trunkline tenant update acme --settings '{'", {
      code: 65,
      stderr: `error: --settings is not valid JSON; write --settings '{"key": "value"}'\n`,
    }))

  it('asks nothing in a script, even where a terminal would', () =>
    ended('trunkline device add --no-input --extension acme/101 --model X', {
      code: 65,
      stderr: 'error: --mac: The mac field is required.\nhint: trunkline device add --help\n',
    }))
})

it('create and add, delete and remove are the same', async () => {
  const made = [
    'tenant add --name Other --slug other --domain other.example.com --status active --timezone UTC --max-extensions 1',
    'extension create --tenant other --extension-number 7 --display-name Seven --generate-secret --status active',
    'device create --extension other/7 --mac 00:15:65:a1:b2:c9 --model X',
  ]
  for (const line of made) await place.done(`trunkline ${line}`)
  const [{ id }] = await place.json('trunkline device list --extension other/7')
  const gone = [`device delete ${id} --yes`, 'extension remove other/7 --yes', 'tenant remove other --yes --cascade']
  for (const line of gone) await place.done(`trunkline ${line}`)
  await place.done('trunkline admin add second@example.com --random-password')
  await place.done('trunkline admin remove second@example.com --yes')
  assert.equal((await place.run('trunkline tenant show other')).code, 67)
})
