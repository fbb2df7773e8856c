import { lowered, type Resource } from '../../../core/resources/resource.ts'
import { keepsPlace } from '../../../core/transfer/imported-resource.ts'
import { Check } from '../parts/controls.tsx'
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
  const isReplacing = now.mode === 'replace'
  return (
    <section aria-labelledby="options-title">
      <h2 id="options-title">How</h2>
      <div class="fields">
        {choicesOf(resource, now, preview).map(choice => (
          <Choice key={choice.name} {...choice} />
        ))}
        {isReplacing && <Effective value={now.effective} />}
      </div>
      <div class="fields">
        <Flag name="decimal_comma" asked={now} title="Decimal comma: 0,0123" />
        <Flag name="force" asked={now} title="Store what no rule can read" />
        {isReplacing && <Flag name="allow_empty" asked={now} title="Take an empty file for a deck without rates" />}
      </div>
    </section>
  )
}

/** Returns the choices that fit the resource and what is chosen already. */
function choicesOf(resource: Resource, now: Asked, preview: Preview): readonly ChoiceProps[] {
  const isPlaced = keepsPlace(resource)
  const found = preview.delimiter === '\t' ? 'tab' : preview.delimiter
  const mayReplace = resource.deckOf !== undefined && may('delete', resource)
  const mode: ChoiceProps = {
    ...{ name: 'mode', title: 'Records that exist', value: now.mode, usual: 'insert' },
    choices: [
      ['insert', 'are errors'],
      ...(may('change', resource) ? [['upsert', 'are changed'] as const] : []),
      ['skip', 'stay as they are'],
      ...(mayReplace ? [['replace', `all ${lowered(resource.plural)} are replaced`] as const] : []),
    ],
  }
  const onError: ChoiceProps = {
    ...{ name: 'on_error', title: 'Rows with errors', value: now.onError, usual: 'stop' },
    choices: [
      ['stop', isPlaced ? 'stop the import' : 'keep all out'],
      ['continue', 'are left out'],
    ],
  }
  const resume: ChoiceProps = {
    ...{ name: 'resume', title: 'If an import of it was interrupted', value: now.resume, usual: '' },
    choices: [
      ['', 'say so'],
      ['continue', 'go on with it'],
      ['restart', 'begin again'],
    ],
  }
  const delimiter: ChoiceProps = {
    ...{ name: 'delimiter', title: 'Cells are separated by', value: now.delimiter, usual: '' },
    choices: [['', `${DELIMITERS.find(([value]) => value === found)?.[1] ?? found} (found)`], ...DELIMITERS],
  }
  return [
    ...(isPlaced ? [] : [mode]),
    ...(now.mode === 'replace' ? [] : [onError]),
    ...(isPlaced ? [resume] : []),
    delimiter,
  ]
}

const Effective = ({ value }: { readonly value: string }) => (
  <label class="field">
    <span>Takes effect</span>
    <input
      type="datetime-local"
      value={value}
      aria-describedby="effective-hint"
      onInput={event => ask({ effective: event.currentTarget.value || null })}
    />
    <span class="hint" id="effective-hint">
      In the tenant’s time zone; at once unless given.
    </span>
  </label>
)

interface ChoiceProps {
  readonly name: string
  readonly title: string
  readonly value: string
  /** The default value, which the address leaves out. */
  readonly usual: string
  readonly choices: readonly (readonly [value: string, title: string])[]
}

const Choice = ({ name, title, value, usual, choices }: ChoiceProps) => (
  <label class="field">
    <span>{title}</span>
    <select
      value={value}
      onChange={event => ask({ [name]: event.currentTarget.value === usual ? null : event.currentTarget.value })}
    >
      {choices.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  </label>
)

const Flag = ({ name, title, asked: { flags } }: { name: string; title: string; asked: Asked }) => (
  <Check checked={flags.has(name)} onChange={checked => ask({ [name]: checked ? 'true' : null })}>
    {title}
  </Check>
)
