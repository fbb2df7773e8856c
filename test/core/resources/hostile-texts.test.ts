import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSwitchName } from '../../../core/calls/completed-call.ts'
import { resources } from '../../../core/resources/all.ts'
import { accountFields } from '../../../core/use-cases/accounts/sign-in.ts'

/** The parts that a pattern may repeat, and what may precede and follow them. */
const SEEDS = [
  'a',
  '0',
  '1',
  '.',
  '-',
  'a.',
  'a-',
  '-a',
  '0x',
  '+',
  '@',
  'a@',
  ':',
  '::1',
  'f:',
  '[',
  ' ',
  'é',
  '25',
  '\t',
]
const BEFORE = ['', 'a@', 'http://', '+1', '[', '2026-10-01T', 'Europe/']
const BEHIND = ['', '!', '@', ' ', '.', ']', '\0', 'Z']
const LENGTH = 10_000
/** Generous: linear patterns take less than one millisecond. */
const MOST_MS = 100

const hostile = SEEDS.flatMap(seed =>
  BEFORE.flatMap(before => BEHIND.map(behind => before + seed.repeat(LENGTH / seed.length) + behind)),
)

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  ...Object.fromEntries(
    [...resources.map(({ name, fields }) => [name, fields] as const), ['accounts', accountFields] as const].flatMap(
      ([of, fields]) => Object.entries(fields).map(([name, field]) => [`${of}.${name}`, field.parse]),
    ),
  ),
  'names of switches': isSwitchName,
}

for (const [name, read] of Object.entries(readers))
  test(`no text keeps the rules of ${name} busy`, () => {
    for (const text of hostile) {
      const { user } = process.cpuUsage()
      read(text)
      const ms = (process.cpuUsage().user - user) / 1000
      assert.ok(ms < MOST_MS, `${ms} ms for ${text.slice(0, 20)}… of ${text.length} characters`)
    }
  })
