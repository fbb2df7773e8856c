import type { Check } from './check.ts'

/** Is what the database holds whole? */
export const damage: Check = {
  about: 'every page, key and reference of the database',
  async *examine(patient) {
    const { maintenance } = await patient.open()
    for (const finding of await maintenance.check())
      yield { kind: 'damage', finding, fix: 'trunkline db restore BACKUP' }
  },
}
