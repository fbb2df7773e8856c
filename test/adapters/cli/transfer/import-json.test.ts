import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Desk, openDesk, RATES } from '../../../support/cli/imports.ts'

const FLAGS = ['--tenant', 'acme']

let desk: Desk

beforeEach(async () => {
  desk = await openDesk()
  await desk.create('tenants', { slug: 'acme', max_extensions: 3 })
})
afterEach(() => desk.close())

describe('an import of JSON', () => {
  const row = {
    prefix: '380',
    destination: 'Ukraine',
    cost_per_minute: 0.0123,
    billing_increment: 60,
    status: 'active',
  }

  it('takes one object a line', async () => {
    const text = `${JSON.stringify(row)}\n\n${JSON.stringify({ ...row, prefix: '44', tenant: 'acme' })}\n`
    const { summary } = await desk.take('rates', text, FLAGS, 'deck.ndjson')
    assert.deepEqual(await desk.query('SELECT prefix FROM rates ORDER BY id'), ['380', '44'])
    assert.deepEqual([summary.rows, summary.blank_lines], [2, [2]])
  })

  it('takes an array', async () => {
    await desk.take(
      'rates',
      JSON.stringify([row, { ...row, prefix: '44', destination: 'UK }],[' }], null, 2),
      FLAGS,
      'deck.json',
    )
    assert.deepEqual(await desk.query('SELECT destination FROM rates ORDER BY id'), ['Ukraine', 'UK }],['])
  })

  it('stores nothing of an array that is cut off', async () => {
    const text = JSON.stringify([row, row]).slice(0, -20)
    const { stderr } = await desk.take('rates', text, FLAGS, 'deck.json')
    assert.match(stderr, /deck\.json:1: row: The array has no end: the file is cut off\./)
    assert.deepEqual(await desk.query(RATES), [])
  })

  it('reports what is not JSON, no object, and no field', async () => {
    const { summary } = await desk.take(
      'rates',
      `{"prefix"\n[1]\n${JSON.stringify({ ...row, statsu: 'x' })}\n`,
      FLAGS,
      'deck.ndjson',
    )
    assert.deepEqual(summary.errors, [
      { line: 1, rule: 'format', field: 'row', message: 'The row is not valid JSON.' },
      { line: 2, rule: 'format', field: 'row', message: 'The row is not a JSON object.' },
      {
        line: 3,
        rule: 'unknown',
        field: 'statsu',
        message: 'Rates have no field "statsu"; did you mean status?',
        detail: { meant: 'status' },
      },
    ])
  })

  it('leaves members that are not named as they are stored, and gives new records the defaults', async () => {
    const gateway = {
      name: 'g',
      provider_type: 'p',
      server_host: 'h.example.com',
      server_port: 1,
      username: 'u',
      password: 'p',
    }
    await desk.take(
      'sms_gateways',
      JSON.stringify([
        { ...gateway, notes: 'kept' },
        { ...gateway, name: 'h', api_path: null },
      ]),
      [],
      'g.json',
    )
    await desk.take('sms_gateways', JSON.stringify([{ ...gateway, server_port: 2 }]), ['--mode', 'upsert'], 'g.json')
    assert.deepEqual(
      await desk.query('SELECT name, server_port, api_path, notes, is_active FROM sms_gateways ORDER BY id'),
      ['g|2|send|kept|0', 'h|1|||0'],
    )
  })
})
