import type { ComponentChildren } from 'preact'
import type { Loaded } from '../state/load.ts'

/** Shows something that is loading, failed or loaded. */
export function Shown<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, isLoading, reload } = of
  if (error.value)
    return (
      <div class="trouble" role="alert">
        {error.value.message}{' '}
        <button type="button" onClick={reload}>
          Try again
        </button>
      </div>
    )
  if (data.value === null) return <p class="hint">{isLoading.value ? 'Loading…' : ''}</p>
  return <>{children(data.value)}</>
}

interface SimpleTableProps {
  readonly label: string
  readonly columns: readonly { readonly name: string; readonly title: string; readonly isNumber?: boolean }[]
  readonly rows: readonly Readonly<Record<string, ComponentChildren>>[]
}

/** A short table, rendered whole. */
export function SimpleTable({ label, columns, rows }: SimpleTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section class="simple" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, title, isNumber }) => (
              <th key={name} scope="col" class={isNumber ? 'number' : ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map(({ name, isNumber }) => (
                <td key={name} class={isNumber ? 'number' : ''}>
                  {row[name] ?? ''}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
