import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isJsonObject, parseJson, stringifyJson } from '../../../core/json.ts'
import {
  choiceKey,
  correction,
  edited,
  type KeyEdit,
  type Keys,
  key,
  keyFaults,
  NoObject,
  textKey,
} from '../../../core/resources/references/keys.ts'

const COUNTRY = textKey('a country', text => text.length === 2)

const KEYS: Keys = {
  dlr_level: key('a number', value => typeof value === 'number'),
  method: choiceKey('GET', 'POST'),
  dialling: {
    isText: false,
    keys: { country: COUNTRY },
    faults: value =>
      !isJsonObject(value)
        ? [{ path: [], problem: 'must be an object' }]
        : COUNTRY.faults(value.country ?? 'US').map(fault => ({ ...fault, path: ['country', ...fault.path] })),
  },
}

describe('the keys of a JSON field', () => {
  it('have faults where a value has another type, with the path to it', () => {
    assert.deepEqual(keyFaults(KEYS, { dlr_level: '2', dialling: { country: 'USA' } }), [
      { path: ['dlr_level'], problem: 'must be a number' },
      { path: ['dialling', 'country'], problem: 'must be a country' },
    ])
    assert.deepEqual(keyFaults(KEYS, { dlr_level: 2, method: 'GET', dialling: { country: 'US' } }), [])
  })

  it('may be null, as if they were not there', () => assert.deepEqual(keyFaults(KEYS, { dlr_level: null }), []))

  it('are distinguished from similar ones, whatever their case or separators', () => {
    for (const name of ['Dialing', 'DIALLING', 'diallin', 'dialling_'])
      assert.deepEqual(keyFaults(KEYS, { [name]: 1 }), [
        { path: [name], problem: 'is not known', meant: { key: 'dialling' } },
      ])
    for (const name of ['dialplan', 'lvl', 'dialer', 'methods_of_payment', '', '__proto__'])
      assert.deepEqual(keyFaults(KEYS, JSON.parse(`{${JSON.stringify(name)}: 1}`)), [], name)
  })

  it('say which of a few values was meant', () =>
    assert.deepEqual(keyFaults(KEYS, { method: 'Post' }), [
      { path: ['method'], problem: 'must be GET or POST', meant: { value: 'POST' } },
    ]))

  it('never reveal what a member holds', () => {
    const secret = 'kW3-9fQm-Zt81'
    const faults = keyFaults(KEYS, { dlr_level: secret, method: secret, dialling: secret })
    assert.equal(faults.length, 3)
    assert.doesNotMatch(JSON.stringify(faults), /kW3/)
  })

  it('are found in an object of a million members at once', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`dialing${i}`, 1]))
    assert.deepEqual(keyFaults(KEYS, { ...many, dlr_level: 'x' }), [
      { path: ['dlr_level'], problem: 'must be a number' },
    ])
  })
})

describe('edits of a JSON object', () => {
  const set = (...path: string[]): KeyEdit => ({ path, value: 1 })
  const unset = (...path: string[]): KeyEdit => ({ path, value: undefined })

  it('set one member and leave the others, digits included', () => {
    const object = parseJson('{"id":12345678901234567890,"a":{"b":2}}')
    assert.ok(typeof object === 'object' && object !== null)
    const next = edited({ ...object }, [set('a', 'c'), set('d', 'e')])
    assert.equal(stringifyJson(next), '{"id":12345678901234567890,"a":{"b":2,"c":1},"d":{"e":1}}')
  })

  it('take members away before they set others', () => {
    assert.deepEqual(edited({ a: 'text', b: 2 }, [set('a', 'x'), unset('a')]), { b: 2, a: { x: 1 } })
    assert.deepEqual(edited({ a: { b: 2 } }, [unset('a', 'b'), unset('c', 'd'), unset('e')]), { a: {} })
  })

  it('do not enter a value that is not an object', () =>
    assert.deepEqual(edited({ a: { b: [1] } }, [set('a', 'b', 'c')]), new NoObject(['a', 'b'])))

  it('treat __proto__ like any other name', () => {
    const next = edited({}, [set('__proto__', 'polluted')])
    assert.equal(stringifyJson(next), '{"__proto__":{"polluted":1}}')
    assert.equal('polluted' in {}, false)
  })
})

describe('an unreadable value', () => {
  const corrected = (object: Record<string, unknown>): unknown => {
    let next = object
    for (const fault of keyFaults(KEYS, object)) {
      const result = edited(next, correction(KEYS, next, fault))
      assert.ok(!(result instanceof NoObject))
      next = result
    }
    assert.deepEqual(keyFaults(KEYS, next), [])
    return next
  }

  it('is corrected to the intended one', () => {
    assert.deepEqual(corrected({ dlr_levle: 3, own: 1 }), { own: 1, dlr_level: 3 })
    assert.deepEqual(corrected({ method: 'post' }), { method: 'POST' })
  })

  it('is removed if no other was intended, or if the intended one exists already', () => {
    assert.deepEqual(corrected({ dlr_level: 'x', own: 1 }), { own: 1 })
    assert.deepEqual(corrected({ dlr_levle: 3, dlr_level: 2 }), { dlr_level: 2 })
    assert.deepEqual(corrected({ dlr_levle: 'x' }), {})
    assert.deepEqual(corrected({ dialling: { country: 'USA' }, own: 1 }), { dialling: {}, own: 1 })
  })
})
