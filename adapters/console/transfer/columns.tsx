import { PAGE } from '../../../core/console/import-guide.ts'
import type { Field } from '../../../core/resources/field.ts'
import { namedReferences } from '../../../core/resources/references/names.ts'
import { TENANT } from '../../../core/resources/references/within.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { inFiles } from '../../../core/transfer/imported-resource.ts'
import { targetsOf } from '../../../core/transfer/rows/columns.ts'
import { titleOf } from '../state/shown.ts'
import { type Asked, askPair } from './asked.ts'
import type { Preview } from './preview.ts'

const UNKNOWN = '?'

/** How the columns of a file map to the fields of a resource. */
interface Mapping {
  /** Every field that a column may be. */
  readonly names: readonly string[]
  /** Returns the field of a column; '' if it is passed over, UNKNOWN if none is chosen. */
  readonly chosen: (column: string) => string
  /** The required fields without a column. */
  readonly missing: readonly (readonly [name: string, field: Field])[]
}

function mappingOf(resource: Resource, { columns }: Preview, asked: Asked): Mapping {
  const declared = inFiles(resource)
  const targets = targetsOf(declared, [], PAGE)
  const chosen = (column: string): string => {
    const mapped = asked.map.get(column)
    if (mapped !== undefined) return mapped
    const target = targets.of(column)
    return target === null ? '' : target === undefined ? UNKNOWN : targets.nameOf(column)
  }
  const given = new Set(columns.map(chosen).map(name => targets.of(name)?.field ?? name))
  return {
    names: [...Object.keys(declared.fields), ...namedReferences(declared).map(({ column }) => column)],
    chosen,
    missing: Object.entries(declared.fields).filter(([name, { required }]) => required && !given.has(name)),
  }
}

/** Shows each column with its first cells and its field, and the values for fields without a column. */
export function Columns({ resource, preview, asked }: { resource: Resource; preview: Preview; asked: Asked }) {
  const mapping = mappingOf(resource, preview, asked)
  const isTenantMissing = asked.tenant === null && mapping.missing.some(([name]) => name === TENANT)
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
                  <FieldChoice column={column} mapping={mapping} />
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
      <SameForAll fields={mapping.missing.filter(([name]) => name !== TENANT)} set={asked.set} />
    </section>
  )
}

function FieldChoice({ column, mapping: { names, chosen } }: { readonly column: string; readonly mapping: Mapping }) {
  const field = chosen(column)
  return (
    <select
      aria-label={`Field of ${column}`}
      aria-invalid={field === UNKNOWN}
      value={field}
      onChange={event => {
        const { value } = event.currentTarget
        askPair('map', column, value === UNKNOWN ? null : value)
      }}
    >
      {field === UNKNOWN && <option value={UNKNOWN}>Choose…</option>}
      <option value="">Pass over</option>
      {names.map(name => (
        <option key={name} value={name}>
          {titleOf(name)}
        </option>
      ))}
    </select>
  )
}

interface SameForAllProps {
  readonly fields: Mapping['missing']
  /** The values, by field. */
  readonly set: ReadonlyMap<string, string>
}

function SameForAll({ fields, set }: SameForAllProps) {
  if (fields.length === 0) return null
  return (
    <fieldset class="fields">
      <legend>The same for all, since no column gives it</legend>
      {fields.map(([name, { known }]) => (
        <label key={name} class="field">
          <span>
            {titleOf(name)} <span class="required">required</span>
          </span>
          <input
            value={set.get(name) ?? ''}
            placeholder={known?.join(', ') ?? ''}
            onInput={event => askPair('set', name, event.currentTarget.value || null)}
          />
        </label>
      ))}
    </fieldset>
  )
}
