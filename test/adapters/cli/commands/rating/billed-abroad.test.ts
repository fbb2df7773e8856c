import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { workplace } from '../../../../support/cli/cli.ts'
import { asteriskRow } from '../../../../support/data/switch.ts'

interface Tenant {
  readonly timezone?: string
  readonly prefixes?: readonly string[]
  readonly called?: readonly string[]
}

const US = {
  timezone: 'America/New_York',
  prefixes: ['1', '212', '354', '380'],
  called: ['2125550123', '2125550124', '2125550125'],
}

/** The warning for a tenant with a DID in New York that has ingested calls. */
async function said({ timezone = US.timezone, prefixes = US.prefixes, called = US.called }: Tenant) {
  const place = workplace()
  try {
    await place.done('trunkline init --email admin@example.com --random-password')
    await place.done(
      `trunkline tenant create --name Gotham --slug gotham --domain g.example.com --status active --timezone ${timezone} --max-extensions 10`,
    )
    if (timezone !== 'UTC')
      await place.done(
        'trunkline did create --tenant gotham --number +12125550101 --provider X --status active --description x',
      )
    for (const prefix of prefixes)
      await place.done(
        `trunkline rate create --tenant gotham --prefix ${prefix} --destination X --cost-per-minute 1 --billing-increment 1 --status active`,
      )
    const rows = called.map((to, n) => asteriskRow({ id: `${n}`, accountcode: 'gotham', to, seconds: 60 }))
    writeFileSync(place.path('Master.csv'), rows.join(''))
    await place.done(`trunkline cdr ingest ${place.path('Master.csv')} --quiet`)
    const check = await place.run('trunkline rate check gotham')
    const checked = JSON.parse((await place.run('trunkline rate check gotham --output json')).stdout).billed_abroad
    const findings: { kind: string; finding: string; fix: string }[] = JSON.parse(
      (await place.run('trunkline doctor --output json')).stdout,
    )
    return { check, checked, found: findings.find(({ kind }) => kind === 'billed_abroad') }
  } finally {
    place.remove()
  }
}

test('a tenant without a country whose national numbers are billed as international is named with the command', async () => {
  const { check, checked, found } = await said({ called: ['12125550126', '3545551234', '380441234567', ...US.called] })
  const fix = 'trunkline tenant update gotham --settings-set dialling.country=US'
  assert.deepEqual(found, {
    kind: 'billed_abroad',
    finding:
      '3 recent calls of tenant gotham, whose settings name no country, went to numbers of US and were billed as international (2125550125 by prefix 212, as if it were not 12125550125)',
    fix,
  })
  assert.equal(checked.calls, 3)
  assert.equal(checked.country, 'US')
  assert.equal(check.code, 1)
  assert.ok(
    check.stdout.endsWith(
      `recent calls to numbers of US that were billed as international, while the tenant has no country: 3 (${fix})\n  2125550125 by prefix 212, as if it were not 12125550125\n`,
    ),
    check.stdout,
  )
})

test('no finding where numbers may be international, are few, or have rates as they are dialled', async () => {
  const others: readonly Tenant[] = [
    { called: ['3545551234', '3545551235', '3545551236', '380441234567'] },
    { called: ['2125550123', '2125550123', '2125550124'] },
    { prefixes: ['212', '380'] },
    { timezone: 'UTC' },
  ]
  for (const other of others) {
    const { checked, found } = await said(other)
    assert.deepEqual([checked, found], [null, undefined], JSON.stringify(other))
  }
})
