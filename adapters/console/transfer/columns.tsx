import { PAGE } from '../../../core/console/import-guide.ts'
import { namedReferences } from '../../../core/resources/references/names.ts'
import { TENANT } from '../../../core/resources/references/within.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { inFiles } from '../../../core/transfer/imported-resource.ts'
import { targetsOf } from '../../../core/transfer/rows/columns.ts'
import { titleOf } from '../state/shown.ts'
import { type Asked, askPair } from './asked.ts'
import type { Preview } from './preview.ts'

const UNKNOWN = '?'

/** Shows each column with its first cells and its field, and the values for fields without a column. */
export function Columns({ resource, preview, asked }: { resource: Resource; preview: Preview; asked: Asked }) {
  const declared = inFiles(resource)
  const targets = targetsOf(declared, [], PAGE)
  const names = [...Object.keys(declared.fields), ...namedReferences(declared).map(({ column }) => column)]
  const chosenOf = (column: string): string => {
    const said = asked.map.get(column)
    if (said !== undefined) return said
    const target = targets.of(column)
    return target === null ? '' : target === undefined ? UNKNOWN : targets.nameOf(column)
  }
  const given = new Set(preview.columns.map(chosenOf).map(name => targets.of(name)?.field ?? name))
  const missing = Object.entries(declared.fields).filter(([name, { required }]) => required && !given.has(name))
  const isTenantMissing = asked.tenant === null && missing.some(([name]) => name === TENANT)
  const others = missing.filter(([name]) => name !== TENANT)
  return (
    <section aria-labelledby="columns-title">
      <h2 id="columns-title">Columns</h2>
      <p class="hint">Choose the field that each column is. These are its first rows.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section class="simple preview" aria-label="First rows" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {preview.columns.map((column, index) => (
                <th key={`${index} ${column}`} scope="col">
                  <bdi>{column}</bdi>
                  <select
                    aria-label={`Field of ${column}`}
                    aria-invalid={chosenOf(column) === UNKNOWN}
                    value={chosenOf(column)}
                    onChange={event => {
                      const { value } = event.currentTarget
                      askPair('map', column, value === UNKNOWN ? null : value)
                    }}
                  >
                    {chosenOf(column) === UNKNOWN && <option value={UNKNOWN}>Choose…</option>}
                    <option value="">Pass over</option>
                    {names.map(name => (
                      <option key={name} value={name}>
                        {titleOf(name)}
                      </option>
                    ))}
                  </select>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.rows.map((row, index) => (
              <tr key={index}>
                {preview.columns.map((column, at) => (
                  <td key={`${at} ${column}`} class="clip">
                    <bdi>{row[at]}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {isTenantMissing && <p class="error">No column names the tenant: choose it above.</p>}
      {others.length > 0 && (
        <fieldset class="fields">
          <legend>The same for all, since no column gives it</legend>
          {others.map(([name, { known }]) => (
            <label key={name} class="field">
              <span>
                {titleOf(name)} <span class="required">required</span>
              </span>
              <input
                value={asked.set.get(name) ?? ''}
                placeholder={known?.join(', ') ?? ''}
                onInput={event => askPair('set', name, event.currentTarget.value || null)}
              />
            </label>
          ))}
        </fieldset>
      )}
    </section>
  )
}
