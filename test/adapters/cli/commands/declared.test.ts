import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { describe, it } from 'node:test'
import type { Command } from 'commander'
import { resourceCommand } from '../../../../adapters/cli/commands/resource-commands.ts'
import type { Context, GlobalOptions } from '../../../../adapters/cli/context.ts'
import { bodyFrom, filtersFrom } from '../../../../adapters/cli/fields.ts'
import { columnsOf } from '../../../../adapters/cli/terminal/columns.ts'
import { sampleChange, sampleFlags } from '../../../../adapters/cli/terminal/samples.ts'
import { wiringFor } from '../../../../bin/command-line.ts'
import { boolean, date, decimal, integer, json, refersTo, text } from '../../../../core/resources/field.ts'
import { resource } from '../../../../core/resources/resource.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { rules } from '../../../../core/resources/values/text-rules.ts'
import { workplace } from '../../../support/cli/cli.ts'
import { sampleBody } from '../../../support/data/samples.ts'

const OPTIONS: GlobalOptions = { output: 'table', quiet: false, verbose: false, color: false, interactive: false }

/** A resource that no part of the program knows. */
const phones = resource({
  name: 'phones',
  path: 'phones',
  label: 'Phone',
  fields: {
    tenant_id: refersTo('tenants', 'restrict'),
    label: text(20, { examples: ['Hall'] }),
    colour: text(20, { rule: rules.oneOf('black', 'white'), examples: ['white'] }),
    pin: text(20, { secret: true, generated: true }),
    lines: integer({ min: 1, examples: [4] }),
    price: decimal(),
    bought_at: date({ optional: true }),
    is_cordless: boolean(),
    extras: json(),
  },
  search: ['label'],
  key: ['tenant_id', 'label'],
})

const group = resourceCommand(phones, 'phone', command => command)

const named = (name: string): Command => {
  const found = group.commands.find(command => command.name() === name)
  assert.ok(found)
  return found
}

const flags = (name: string): string[] => named(name).options.map(option => option.flags)

describe('a resource that is declared', () => {
  it('has commands', () => {
    assert.deepEqual(
      group.commands.map(command => command.name()),
      ['list', 'show', 'create', 'update', 'delete'],
    )
  })

  it('has a flag for each field, and ways to keep a secret out of the process list', () => {
    assert.deepEqual(flags('create'), [
      '--tenant <SLUG|ID>',
      '--label <text>',
      '--colour <text>',
      '--pin <text>',
      '--pin-file <file>',
      '--generate-pin',
      '--lines <number>',
      '--price <number>',
      '--bought-at <date>',
      '--is-cordless [yes|no]',
      '--extras <json>',
      '--extras-set <key=value>',
    ])
  })

  it('has filters for references, choices and yes or no, and a search in what is searched', () => {
    assert.deepEqual(flags('list').slice(0, 4), [
      '--search <text>',
      '--tenant <SLUG|ID>',
      '--colour <text>',
      '--is-cordless [yes|no]',
    ])
    assert.ok(flags('list').includes('--show-secrets'))
  })

  it('is named by its natural key', () => {
    assert.equal(named('show').registeredArguments[0]?.name(), 'TENANT/LABEL|ID')
  })

  it('has a column for each field, numbers as numbers', () => {
    const columns = columnsOf(phones, false).map(({ name, kind }) => `${name}:${kind}`)
    assert.deepEqual(columns, [
      'id:integer',
      'tenant:text',
      'label:text',
      'colour:text',
      'pin:text',
      'lines:integer',
      'price:decimal',
      'bought_at:date',
      'is_cordless:boolean',
      'extras:json',
    ])
  })

  it('has examples made of its declared ones', () => {
    assert.equal(
      sampleFlags(phones),
      '--tenant acme --label Hall --colour white --generate-pin --lines 4 --price 0.0123',
    )
    assert.equal(sampleChange(phones), '--colour white')
  })

  it('has its flags read into the body of a request, and its filters as a storage compares them', async () => {
    const place = workplace()
    await place.done('trunkline init --email admin@example.com --random-password')
    const services = await wiringFor(place.env).open(OPTIONS, {})
    const io = { stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough(), env: {} }
    const context: Context = { io, options: OPTIONS, line: [], open: async () => services }
    try {
      await services.administration.create(tenants, sampleBody(tenants))
      const given = { tenant: 'id:1', label: 'Hall', generatePin: true, isCordless: 'no', extras: '{"a":1}' }
      const { pin, ...body } = await bodyFrom(given, phones, context, services)
      assert.match(String(pin), /^[\w-]{24}$/)
      assert.deepEqual(body, { tenant_id: 1, label: 'Hall', is_cordless: false, extras: { a: 1 } })
      const filters = await filtersFrom({ tenant: '1', isCordless: true, colour: 'white' }, phones, services)
      assert.deepEqual(filters, { tenant_id: 1, colour: 'white', is_cordless: 1 })
    } finally {
      await services.close()
      place.remove()
    }
  })
})
