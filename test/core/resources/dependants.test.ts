import assert from 'node:assert/strict'
import { test } from 'node:test'
import { referencesTo, resourceNamed, resources } from '../../../core/resources/all.ts'
import { cascadeOrder, restrictingReferences } from '../../../core/resources/references/dependants.ts'

test('a cascade deletes referring records before those they refer to, in any given order', () => {
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

test('a reference that restricts a dependant also restricts the record, so that one step of a cascade reaches all', () => {
  for (const resource of resources) {
    const dependants = restrictingReferences(resource).map(({ from }) => from)
    const further = dependants.flatMap(restrictingReferences).map(({ from }) => from)
    for (const from of further) assert.ok(dependants.includes(from), `${from.name} ${resource.name}`)
  }
})
