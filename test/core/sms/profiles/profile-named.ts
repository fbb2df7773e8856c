import assert from 'node:assert/strict'
import { BUILT_IN } from '../../../../core/sms/profiles/all.ts'
import type { Profile } from '../../../../core/sms/profiles/schema.ts'

export const profileNamed = (name: string): Profile =>
  BUILT_IN.find(each => each.name === name) ?? assert.fail(`there is no profile ${name}`)
