import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { commandOf } from '../../../../adapters/cli/naming/resource-names.ts'
import type { Wiring } from '../../../../adapters/cli/program.ts'
import { exposedResources } from '../../../../core/resources/all.ts'
import type { Administration } from '../../../../core/use-cases/records/administer.ts'
import { callIds, furnish, type Ran, type Workplace, workplace } from '../../../support/cli/cli.ts'
import { startService } from '../../../support/http/app.ts'

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

describe('a list', () => {
  it('in a pipe has one line for each record, with cells separated by tabs', () =>
    ended('trunkline extension list', {
      stdout: '1\tacme\t101\tFront desk\t\t••••••\tactive\tno\n',
    }))

  it('can be CSV with a heading and without secrets', () =>
    ended('trunkline ext list --output csv --fields id,tenant,extension_number,created_at', {
      stdout: 'id,tenant,extension_number,created_at\n1,acme,101,<time>\n',
    }))

  it('can be one JSON object on each line', () =>
    ended('trunkline rate list -o ndjson --fields prefix,cost_per_minute', {
      stdout: '{"prefix":"380","cost_per_minute":"0.0123"}\n',
    }))

  it('is an empty array in JSON when nothing is found', () =>
    ended('trunkline tenant list --search nobody --output json', { stdout: '[]\n' }))

  it('is only a heading in CSV when nothing is found', () =>
    ended('trunkline agent list --extension acme/101 --queue acme/800 --output csv --fields id', {
      stdout: 'id\n1\n',
    }))

  it('can be searched, and narrowed by tenant and by state', async () => {
    await ended('trunkline did list --search carrier --tenant acme --status active --fields number', {
      stdout: '+380441234567\n',
    })
    await ended('trunkline did list --status inactive', {})
    await ended('trunkline gateway list --is-active yes --fields name', { stdout: 'Jasmin\n' })
    await ended('trunkline gateway list --is-active no --fields name', {})
  })

  it('can be read page by page', async () => {
    await place.done(
      'trunkline rate create --tenant acme --prefix 381 --destination Serbia --cost-per-minute 1 --billing-increment 1 --status active',
    )
    await ended('trunkline rate list --limit 1 --fields prefix', {
      stdout: '381\n',
      stderr: 'there are more: add --after 2 for the next, or --all\n',
    })
    await ended('trunkline rate list --limit 1 --after 2 --fields prefix', { stdout: '380\n' })
  })

  it('refuses an unknown field, and names the known ones', () =>
    ended('trunkline device list --fields mac,colour', {
      code: 64,
      stderr: 'error: there is no field colour; there are id, extension, mac, model, extension_id\n',
    }))

  it('refuses a limit that is not a number', () =>
    ended('trunkline cdr list --limit ten', { code: 64, stderr: 'error: --limit must be a whole number above 0\n' }))

  it('names the unknown record that a page is to begin after', () =>
    ended('trunkline cdr list --limit 1 --after 99', {
      code: 65,
      stderr: 'error: --after: The selected after is invalid.\nhint: trunkline cdr list --help\n',
    }))
})

describe('a record', () => {
  it('is shown one member on each line, and related records by name', async () => {
    const [call] = await callIds(place)
    await ended('trunkline extension show acme/101', {
      stdout: `id                 1
tenant_id          1
extension_number   101
display_name       Front desk
email
secret             ••••••
status             active
voicemail_enabled  no
created_at         <time>
updated_at         <time>
tenant             acme (Acme Ltd)
devices            1: 00:15:65:a1:b2:c3
queueAgents        1: acme/800
cdrs               1: ${call}
`,
    })
  })

  it('shows its secrets on request', () =>
    ended('trunkline extension show acme/101 --show-secrets --fields secret', { stdout: 'secret  kW3-9fQm-Zt81\n' }))

  it('has columns in CSV for its own counts, and no others', async () => {
    assert.match(await place.done('trunkline gateway show Jasmin -o csv'), /,messages_count\n.*,0\n$/)
    assert.match(await place.done('trunkline tenant show acme -o csv'), /,max_extensions,settings\n.*,\d+,\n$/)
  })

  it('has its secrets hidden in JSON by default, those of embedded records too', async () => {
    assert.equal((await place.json('trunkline extension show acme/101')).secret, '••••••')
    const tenant = await place.json('trunkline tenant show acme')
    assert.deepEqual([tenant.extensions.length, tenant.extensions[0].secret], [1, '••••••'])
    const whole = await place.json('trunkline tenant show acme --show-secrets')
    assert.equal(whole.extensions[0].secret, 'kW3-9fQm-Zt81')
  })

  it('can be named by id, by its number, or by its name', async () => {
    for (const line of ['tenant show acme', 'tenant show 1', 'tenant show id:1', 'did show +380441234567'])
      assert.equal((await place.json(`trunkline ${line}`)).id, 1, line)
    for (const line of ['queue show acme/800', 'queue show 1/800', 'rate show acme/380', 'gateway show Jasmin'])
      assert.equal((await place.json(`trunkline ${line}`)).id, 1, line)
  })

  it('that does not exist ends with 67 and the command that lists those that do', () =>
    ended('trunkline extension show acme/999', {
      code: 67,
      stderr:
        'error: there is no extension "acme/999"; give its TENANT/EXTENSION_NUMBER or ID\nhint: trunkline extension list\n',
    }))

  it('whose name two records have must be named by id, as the error says', async () => {
    await place.done('trunkline did create --tenant acme --number +380449999999 --provider X --status active')
    await place.done('trunkline did create --tenant acme --number +380449999999 --provider Y --status active')
    await ended('trunkline did update +380449999999 --status inactive', {
      code: 64,
      stderr: `error: "+380449999999" means more than one DID: id:2 (+380449999999) and id:3 (+380449999999)\n`,
    })
    for (const id of [2, 3]) await place.done(`trunkline did delete id:${id} --yes`)
  })

  it('cannot join two tenants, nor move while other records refer to it, as the hint says', async () => {
    const lines = [
      'tenant create --name Beta --slug beta --domain beta.example.com --status active --timezone UTC --max-extensions 5',
      'extension create --tenant beta --extension-number 109 --display-name B --generate-secret --status active',
      'did create --tenant beta --number +4930 --provider X --status active',
      'route add --did +4930 --target-type extension --target beta/109',
    ]
    for (const line of lines) await place.done(`trunkline ${line}`)
    await ended('trunkline agent add --queue acme/800 --extension beta/109', {
      code: 65,
      stderr:
        'error: --extension: The selected extension id belongs to a different tenant than the queue id.\nhint: trunkline agent add --help\n',
    })
    await ended('trunkline did update +4930 --tenant acme', {
      code: 65,
      stderr:
        'error: --tenant: The tenant id field must stay the same while routes refer to the DID.\nhint: trunkline route list --did +4930\n',
    })
    const hint = 'trunkline route list --target-type extension --target beta/109'
    await ended('trunkline extension update beta/109 --tenant acme', {
      code: 65,
      stderr: `error: --tenant: The tenant id field must stay the same while agents or routes refer to the extension.\nhint: ${hint}\n`,
    })
    const [{ id }] = await place.json(hint)
    assert.deepEqual(await place.json('trunkline route list --target-type queue'), [])
    await place.done(`trunkline route remove ${id} --yes`)
    await place.done('trunkline did update +4930 --tenant acme')
    await place.done('trunkline tenant delete beta --yes --cascade')
    await place.done('trunkline did delete +4930 --yes')
  })

  it('can be given in JSON as the API gives it, for every resource', async () => {
    const service = await startService({ db: place.db })
    try {
      const login = { email: 'reader@example.com', password: 'known well' }
      await service.trunkline.accountKeeping.create(login)
      const answer = await service.request('POST', '/api/admin/login', { json: login })
      const session = answer.headers.getSetCookie().at(-1)?.split(';')[0] ?? ''
      for (const resource of exposedResources) {
        const name = commandOf(resource)
        const [{ id }] = await place.json(`trunkline ${name} list`)
        for (const [command, path] of [
          ['list', ''],
          [`show ${id}`, `/${id}`],
        ]) {
          const line = `trunkline ${name} ${command}`
          const { json } = await service.request('GET', `/api/${resource.path}${path}`, { session })
          const help = await place.done(`${line} --help`)
          const shown = await place.json(help.includes('--show-secrets') ? `${line} --show-secrets` : line)
          if (Array.isArray(shown)) assert.deepEqual(shown, json.data, line)
          // A call also shows how it was rated.
          else for (const [member, value] of Object.entries(json.data)) assert.deepEqual(shown[member], value, line)
        }
      }
    } finally {
      await service.close()
    }
  })
})

describe('changing', () => {
  it('keeps the fields that are not named', async () => {
    const before = await place.json('trunkline queue show acme/800')
    await ended('trunkline queue update acme/800 --timeout 90 --fields timeout', {
      stdout: 'timeout  90\n',
      stderr: 'Queue updated.\n',
    })
    const { updated_at: _, ...rest } = await place.json('trunkline queue show acme/800')
    const { updated_at: __, ...former } = before
    assert.deepEqual(rest, { ...former, timeout: 90 })
  })

  it('does not undo what someone else changes meanwhile', async () => {
    const wiring = (given: Wiring): Wiring => ({
      ...given,
      open: async (...opening) => {
        const services = await given.open(...opening)
        const afterAnother = async (...change: Parameters<Administration['change']>): Promise<string> => {
          await place.done('trunkline did update +380441234567 --status inactive')
          return services.administration.change(...change)
        }
        return { ...services, administration: { ...services.administration, change: afterAnother } }
      },
    })
    await place.done("trunkline did update +380441234567 --provider 'Carrier Two'", { wiring })
    const { provider, status } = await place.json('trunkline did show +380441234567')
    assert.deepEqual([provider, status], ['Carrier Two', 'inactive'])
  })

  it('follows the rules that concern several fields', async () => {
    await place.done(
      'trunkline extension create --tenant acme --extension-number 102 --display-name Bob --secret s --status active',
    )
    await ended('trunkline extension update acme/102 --extension-number 101', {
      code: 65,
      stderr:
        'error: --extension-number: The extension number has already been taken.\nhint: trunkline extension update --help\n',
    })
  })

  it('keeps the password and the settings of a gateway', async () => {
    await place.done(`trunkline gateway update Jasmin --meta '{"dlr_level":3,"long":12345678901234567890}'`)
    await place.done('trunkline gateway update Jasmin --notes Second')
    const text = await place.done('trunkline gateway show Jasmin --output json')
    assert.match(text, /"long": 12345678901234567890/)
    assert.match(text, /"notes": "Second"/)
  })

  it('can empty an optional field', async () => {
    await place.done("trunkline gateway update Jasmin --notes ''")
    assert.equal((await place.json('trunkline gateway show Jasmin')).notes, null)
  })

  it('no field is a misuse', () =>
    ended('trunkline tenant update acme', {
      code: 64,
      stderr: 'error: nothing to change: give at least one field\nhint: trunkline tenant update --help\n',
    }))
})
