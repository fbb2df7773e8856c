import { lowered, type Resource } from '../../../core/resources/resource.ts'
import { valueShown } from '../state/shown.ts'
import { draftOf } from './draft.ts'
import type { Editing } from './editing.ts'
import { zoneIn } from './fields.tsx'

interface ConflictProps {
  readonly resource: Resource
  readonly editing: Editing
}

/** Shows two people's changes of the same record, field by field; nothing if there is one only. */
export function Conflict({ resource, editing }: ConflictProps) {
  const { draft, original, theirs } = editing
  if (!theirs.value) return null
  const mine = draft.value
  const now = draftOf(resource, theirs.value.record, new URLSearchParams())
  const rows = Object.entries(resource.fields).filter(
    ([name, { secret }]) => !secret && (now[name] !== original.value[name] || mine[name] !== original.value[name]),
  )
  return (
    <section class="trouble" role="alert" aria-label="Changed by someone else">
      <p>Someone else has changed this {lowered(resource.label)} since you opened it.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Theirs</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, field]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <bdi>{valueShown(field, now[name], zoneIn(now))}</bdi>
              </td>
              <td>
                <bdi>{valueShown(field, mine[name], zoneIn(mine))}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="actions">
        <button type="button" onClick={() => editing.keepMine()}>
          Save mine over it
        </button>
        <button type="button" onClick={() => editing.takeTheirs()}>
          Take theirs
        </button>
      </div>
    </section>
  )
}
