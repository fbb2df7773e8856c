import type { ComponentChildren } from 'preact'
import type { Loaded } from '../state/load.ts'

/** Shows something that is loading, failed or loaded. */
export function Shown<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, isLoading, reload } = of
  if (error.value) return <Trouble error={error.value} onRetry={reload} />
  if (data.value === null) return <p class="hint">{isLoading.value ? 'Loading…' : ''}</p>
  return <>{children(data.value)}</>
}

interface TroubleProps {
  readonly error: Error
  readonly onRetry: () => void
  /** Other ways out than to try again. */
  readonly children?: ComponentChildren
}

/** Shows why something could not be loaded. */
export const Trouble = ({ error, onRetry, children }: TroubleProps) => (
  <div class="trouble" role="alert">
    {error.message}{' '}
    <button type="button" onClick={onRetry}>
      Try again
    </button>{' '}
    {children}
  </div>
)

interface SimpleColumn {
  readonly name: string
  readonly title: string
  readonly isNumber?: boolean
  /** True for moments and names, which stay on one line. */
  readonly isWhole?: boolean
}

interface SimpleTableProps {
  readonly label: string
  readonly columns: readonly SimpleColumn[]
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
              {columns.map(({ name, title, isNumber, isWhole }) => (
                <td key={name} class={isNumber ? 'number' : isWhole ? 'whole' : ''} data-title={title}>
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
