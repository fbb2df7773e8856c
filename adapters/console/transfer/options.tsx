import { lowered, type Resource } from '../../../core/resources/resource.ts'
import { keepsPlace } from '../../../core/transfer/imported-resource.ts'
import { may } from '../state/session.ts'
import { type Asked, ask } from './asked.ts'
import type { Preview } from './preview.ts'

const DELIMITERS: readonly (readonly [value: string, title: string])[] = [
  [',', 'comma'],
  [';', 'semicolon'],
  ['tab', 'tab'],
  ['|', 'bar'],
]

interface OptionsProps {
  readonly resource: Resource
  readonly asked: Asked
  readonly preview: Preview
}

/** Shows the options for existing records, rows with errors, and the format of values. */
export function Options({ resource, asked: now, preview }: OptionsProps) {
  const isPlaced = keepsPlace(resource)
  const isReplacing = now.mode === 'replace'
  const found = preview.delimiter === '\t' ? 'tab' : preview.delimiter
  return (
    <section aria-labelledby="options-title">
      <h2 id="options-title">How</h2>
      <div class="fields">
        {!isPlaced && (
          <Choice name="mode" title="Records that exist" value={now.mode} usual="insert">
            {[
              ['insert', 'are errors'],
              ...(may('change', resource) ? [['upsert', 'are changed'] as const] : []),
              ['skip', 'stay as they are'],
              ...(resource.deckOf !== undefined && may('delete', resource)
                ? [['replace', `all ${lowered(resource.plural)} are replaced`] as const]
                : []),
            ]}
          </Choice>
        )}
        {!isReplacing && (
          <Choice name="on_error" title="Rows with errors" value={now.onError} usual="stop">
            {[
              ['stop', isPlaced ? 'stop the import' : 'keep all out'],
              ['continue', 'are left out'],
            ]}
          </Choice>
        )}
        {isPlaced && (
          <Choice name="resume" title="If an import of it was interrupted" value={now.resume} usual="">
            {[
              ['', 'say so'],
              ['continue', 'go on with it'],
              ['restart', 'begin again'],
            ]}
          </Choice>
        )}
        <Choice name="delimiter" title="Cells are separated by" value={now.delimiter} usual="">
          {[['', `${DELIMITERS.find(([value]) => value === found)?.[1] ?? found} (found)`], ...DELIMITERS]}
        </Choice>
        {isReplacing && (
          <label class="field">
            <span>Takes effect</span>
            <input
              type="datetime-local"
              value={now.effective}
              aria-describedby="effective-hint"
              onInput={event => ask({ effective: event.currentTarget.value || null })}
            />
            <span class="hint" id="effective-hint">
              In the tenant’s time zone; at once unless given.
            </span>
          </label>
        )}
      </div>
      <div class="fields">
        <Flag name="decimal_comma" asked={now} title="Decimal comma: 0,0123" />
        <Flag name="force" asked={now} title="Store what no rule can read" />
        {isReplacing && <Flag name="allow_empty" asked={now} title="Take an empty file for a deck without rates" />}
      </div>
    </section>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly title: string
  readonly value: string
  /** The default value, which the address leaves out. */
  readonly usual: string
  readonly children: readonly (readonly string[])[]
}

const Choice = ({ name, title, value, usual, children }: ChoiceProps) => (
  <label class="field">
    <span>{title}</span>
    <select
      value={value}
      onChange={event => ask({ [name]: event.currentTarget.value === usual ? null : event.currentTarget.value })}
    >
      {children.map(([each = '', text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  </label>
)

const Flag = ({ name, title, asked: { flags } }: { name: string; title: string; asked: Asked }) => (
  <label class="check">
    <input
      type="checkbox"
      checked={flags.has(name)}
      onChange={event => ask({ [name]: event.currentTarget.checked ? 'true' : null })}
    />
    {title}
  </label>
)
