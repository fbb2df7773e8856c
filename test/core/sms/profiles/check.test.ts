import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BUILT_IN } from '../../../../core/sms/profiles/all.ts'
import { checkProfile } from '../../../../core/sms/profiles/check.ts'
import { classOf } from '../../../../core/sms/status-class.ts'
import { profileNamed } from './profile-named.ts'

const faultsOf = (change: object): string[] => {
  const checked = checkProfile({ ...structuredClone(profileNamed('twilio')), ...change })
  return 'faults' in checked ? checked.faults.map(({ path, problem }) => `${path}: ${problem}`) : []
}

describe('a profile', () => {
  for (const profile of BUILT_IN)
    it(`of ${profile.title} is sound`, () =>
      assert.deepEqual(checkProfile(JSON.parse(JSON.stringify(profile))), { profile }))

  it('is distinguished by its name', () => {
    assert.equal(new Set(BUILT_IN.map(({ name }) => name)).size, BUILT_IN.length)
  })

  it('has no word in two classes', () => {
    for (const { name, receipt } of BUILT_IN) {
      const words = Object.values(receipt.table).flatMap(each => each ?? [])
      assert.equal(new Set(words).size, words.length, name)
      for (const word of words) assert.equal(word, word.toLowerCase(), name)
    }
  })

  it('that is wrong is refused with the path of each fault', () => {
    const { request } = profileNamed('twilio')
    assert.deepEqual(faultsOf({}), [])
    assert.match(faultsOf({ request: { ...request, method: 'PUT' } })[0] ?? '', /^request\.method: /)
    assert.match(
      faultsOf({ request: { ...request, filds: {} } })[0] ?? '',
      /^request\.filds: is not a member of a profile/,
    )
    assert.match(faultsOf({ setup: undefined })[0] ?? '', /setup/)
    assert.match(
      faultsOf({ request: { ...request, fields: { To: '{tto}' } } })[0] ?? '',
      /^request\.fields: names \{tto\}/,
    )
    assert.match(
      faultsOf({ request: { ...request, fields: { To: { a: 'b' } } } })[0] ?? '',
      /^request\.fields\.To: must be a text/,
    )
  })

  it('holds no pattern that is broken or that a hostile reply could keep busy', () => {
    const { reply } = profileNamed('twilio')
    assert.match(faultsOf({ reply: { ...reply, id: { pattern: '(' } } })[0] ?? '', /reply/)
    assert.match(
      faultsOf({ reply: { ...reply, id: { pattern: '(a+)+b' } } })[0] ?? '',
      /repetition inside a repetition/,
    )
  })
})

describe('the class of a status', () => {
  it('matches the exact word before its beginning', () => {
    const { table } = profileNamed('jasmin-rest').receipt
    assert.deepEqual(
      ['ESME_ROK', 'ESME_RINVDSTADR', 'DELIVRD', 'else'].map(word => classOf(word, table)),
      ['pending', 'failed', 'delivered', null],
    )
  })
})
