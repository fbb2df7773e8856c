import { AppError } from '../../errors.ts'
import { type Pointing, referencesTo, resourceNamed } from '../all.ts'
import { lowered, type Resource } from '../resource.ts'

/** Returns the references that prevent deleting a record unless the deletion cascades. */
export const restrictingReferences = (target: Pick<Resource, 'name'>): Pointing[] =>
  referencesTo(target).filter(({ onDelete }) => onDelete === 'restrict')

/**
 * Returns references in the order in which a cascade deletes: referring records first. Throws if they form a circle.
 */
export function cascadeOrder(references: readonly Pointing[]): Pointing[] {
  const left = [...references]
  const ordered: Pointing[] = []
  while (left.length > 0) {
    const first = left.findIndex(({ from }) => left.every(other => other.from === from || !pointsTo(other.from, from)))
    if (first === -1)
      throw new Error(`${left.map(({ from }) => from.name).join(', ')} refer to each other in a circle.`)
    ordered.push(...left.splice(first, 1))
  }
  return ordered
}

const pointsTo = (from: Resource, to: Resource): boolean => referencesTo(to).some(reference => reference.from === from)

/** Returns the conflict error for a record that others restrict, with their numbers by resource name. */
export function stillNeeded(
  { label }: Pick<Resource, 'label'>,
  dependants: Readonly<Record<string, number>>,
): AppError {
  const list = Object.entries(dependants).map(([name, count]) => {
    const { label: one, plural } = resourceNamed(name)
    return `${count} ${count === 1 ? one : plural}`
  })
  return new AppError('conflict', `The ${lowered(label)} still has ${list.join(', ')}.`, { dependants })
}
