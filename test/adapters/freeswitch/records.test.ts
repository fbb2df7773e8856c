import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeswitchJson, inWorld, type SwitchCall, taken } from '../../support/data/switch.ts'

/** A record with variables that the dialplan has set. */
const recorded = (call: SwitchCall, variables: Readonly<Record<string, string>>): string => {
  const document = JSON.parse(freeswitchJson(call))
  return `${JSON.stringify({ ...document, variables: { ...document.variables, ...variables } })}\n`
}

const FORMAT = { format: 'freeswitch-json' } as const

test(
  'a call to a queue stays inside, and costs nothing',
  inWorld(async world => {
    await taken(world, recorded({ id: 'a', to: '800' }, { call_direction: 'inbound' }), FORMAT)
    assert.deepEqual(
      (await world.calls()).map(({ direction, outcome, cost }) => [direction, outcome, cost]),
      [['inbound', 'inbound', 0]],
    )
  }),
)

test(
  'a call out is one, whatever direction its record claims',
  inWorld(async world => {
    await taken(world, recorded({ id: 'a', to: '+380501112233' }, { call_direction: 'inbound' }), FORMAT)
    assert.deepEqual(
      (await world.calls()).map(({ direction, outcome }) => [direction, outcome]),
      [['outbound', 'rated']],
    )
  }),
)

test(
  'the leg to a carrier and the record of it that was left in the folder are one call, rated by its whole time',
  inWorld(async world => {
    const leg = { billusec: '61000001', trunkline_dialled: '+380501112233', trunkline_extension: '101' }
    const record = recorded({ id: 'a', from: '12125550100', to: '380501112233', seconds: 61 }, leg)
    await taken(world, record, FORMAT)
    assert.deepEqual(await taken(world, record, FORMAT), { stored: 0, known: 1, quarantined: 0, legs: 0, unrated: 0 })
    assert.deepEqual(
      (await world.calls()).map(({ caller_number, destination_number, duration_seconds, extension_id, cost }) => [
        caller_number,
        destination_number,
        duration_seconds,
        extension_id,
        cost,
      ]),
      [['101', '+380501112233', 62, world.extensionId, 246]],
    )
  }),
)
