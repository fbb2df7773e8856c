import assert from 'node:assert/strict'
import { test } from 'node:test'
import { referencesTo, resourceNamed, resources } from '../../../core/resources/all.ts'
import { cascadeOrder, restrictingReferences } from '../../../core/resources/references/dependants.ts'

test('a cascade deletes what points to another before that other, in whatever order it is handed them', () => {
  const references = restrictingReferences(resourceNamed('tenants'))
  assert.ok(references.length > 2)
  for (const given of [references, references.toReversed()]) {
    const order = cascadeOrder(given).map(({ from }) => from)
    assert.deepEqual(new Set(order), new Set(references.map(({ from }) => from)))
    for (const [place, target] of order.entries())
      for (const { from } of referencesTo(target))
        if (from !== target && order.includes(from))
          assert.ok(order.indexOf(from) < place, `${from.name} ${target.name}`)
  }
})

test('whatever restricts a dependant restricts the record itself too, so that one step of a cascade reaches all', () => {
  for (const resource of resources) {
    const dependants = restrictingReferences(resource).map(({ from }) => from)
    const further = dependants.flatMap(restrictingReferences).map(({ from }) => from)
    for (const from of further) assert.ok(dependants.includes(from), `${from.name} ${resource.name}`)
  }
})
