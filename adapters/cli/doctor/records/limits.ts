import { resources } from '../../../../core/resources/all.ts'
import { labelOf, pluralOf, spelling } from '../../naming/references.ts'
import { raising } from '../../remedies.ts'
import { cell } from '../../terminal/json-values.ts'
import { type Check, recordsOf } from '../check.ts'

/** Finds parents with more records than they may have. */
export const limits: Check = {
  about: 'limits',
  async *examine(patient) {
    const services = await patient.open()
    for (const resource of resources) {
      const { limit } = resource
      const parent = resources.find(({ name }) => name === limit?.parent)
      const count = parent?.embeds.find(embed => embed.kind === 'count' && embed.of === resource.name)
      if (!parent || !limit || !count) continue
      for await (const row of recordsOf(services, parent, 'list')) {
        const allowed = Number(cell(row[limit.max]))
        const stored = Number(cell(row[count.name]))
        if (stored <= allowed) continue
        const key = await spelling(services.records, parent, Number(row['id']))
        yield {
          kind: 'limit_passed',
          finding: `${labelOf(parent)} ${key} has ${stored} ${pluralOf(resource)}, but may have only ${allowed}`,
          fix: raising(limit, key, stored),
        }
      }
    }
  },
}
