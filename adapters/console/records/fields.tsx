import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Field } from '../../../core/resources/field.ts'
import { TENANT } from '../../../core/resources/references/within.ts'
import { type Fields, lowered } from '../../../core/resources/resource.ts'
import { MomentInput, momentHint } from '../parts/moment-input.tsx'
import { Picker } from '../parts/picker.tsx'
import type { FieldErrors } from '../state/api.ts'
import { note, noteTrouble } from '../state/notes.ts'
import { titleOf, zoneShown } from '../state/shown.ts'
import { zoneOf } from '../state/zones.ts'

/** The contents of a form, by field; JSON as text. */
export type Draft = Readonly<Record<string, unknown>>

export interface FieldProps {
  readonly name: string
  readonly field: Field
  readonly draft: Signal<Draft>
  readonly errors: readonly string[]
  /** True for a stored record, whose secrets stay as they are unless others are typed. */
  readonly isStored: boolean
  /** Returns the stored secret. */
  readonly onReveal?: (name: string) => Promise<string>
}

/** One field of a form, by its declaration. */
export function FormField(props: FieldProps) {
  const { name, field, draft, errors, isStored } = props
  const id = useId()
  const about = `${id}-about`
  const hint = field.kind === 'date' ? momentHint(zoneIn(draft.value)) : hintOf(field, isStored)
  const set = (value: unknown): void => {
    draft.value = { ...draft.value, [name]: value }
  }
  if (field.kind === 'boolean')
    return (
      <label class="check field">
        <input
          type="checkbox"
          checked={draft.value[name] === true}
          onChange={event => set(event.currentTarget.checked)}
        />
        {titleOf(name)}
      </label>
    )
  return (
    <div class="field">
      <label for={id}>
        {titleOf(name)}
        {field.required && !(isStored && field.writeOnly) && <span class="required"> (required)</span>}
      </label>
      <Input {...props} id={id} about={about} set={set} />
      <div id={about} class="about">
        {errors.map(error => (
          <p class="error" key={error}>
            {error}
          </p>
        ))}
        {hint !== '' && <p class={field.kind === 'date' ? 'hint' : 'hint advice'}>{hint}</p>}
      </div>
    </div>
  )
}

/** Returns the reference of a form whose first wrong field gets the focus with its errors, before more is typed. */
export function useFirstWrong(errors: Signal<FieldErrors>): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [errors.value])
  return form
}

interface FormFieldsProps {
  readonly fields: Fields
  readonly draft: Signal<Draft>
  readonly errors: FieldErrors
  readonly isStored: boolean
}

/** Declared fields, one after another. */
export const FormFields = ({ fields, draft, errors, isStored }: FormFieldsProps) => (
  <>
    {Object.entries(fields).map(([name, field]) => (
      <FormField key={name} name={name} field={field} draft={draft} errors={errors[name] ?? []} isStored={isStored} />
    ))}
  </>
)

function hintOf({ examples, unit, kind, secret, known, references, choices }: Field, isStored: boolean): string {
  if (secret) return isStored ? 'Left as it is unless you type another.' : ''
  if (references || choices) return ''
  if (kind === 'json') return 'A JSON object.'
  if (known) return ''
  const example = examples?.[0] === undefined ? '' : `For example ${examples[0]}`
  return [unit ? `In ${unit}.` : '', example].filter(part => part !== '').join(' ')
}

/** Returns the zone in which a record's moments are shown and read. */
export const zoneIn = (values: Draft): string => zoneShown(zoneOf(values[TENANT]))

const MODES: Readonly<Partial<Record<Field['kind'], 'numeric' | 'decimal'>>> = {
  integer: 'numeric',
  decimal: 'decimal',
}

interface InputProps extends FieldProps {
  readonly id: string
  readonly about: string
  readonly set: (value: unknown) => void
}

function Input(props: InputProps) {
  const { name, field, draft, errors, id, about, set } = props
  const listId = useId()
  const value = draft.value[name]
  const common = { id, name, 'aria-describedby': about, 'aria-invalid': errors.length > 0 }
  const text = value === null || value === undefined ? '' : String(value)
  const onInput = (event: { currentTarget: { value: string } }): void => set(event.currentTarget.value)
  if (field.references) return <Reference {...props} />
  if (field.secret) return <Secret {...props} />
  if (field.kind === 'date')
    return <MomentInput {...common} value={text} timeZone={zoneIn(draft.value)} onMoment={set} />
  if (field.choices)
    return (
      <select {...common} value={text} onChange={onInput}>
        {!field.choices.includes(text) && <option value={text}>{text}</option>}
        {field.choices.map(choice => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )
  if (field.kind === 'json' || field.long)
    return (
      <textarea {...common} rows={field.kind === 'json' ? 6 : 3} value={text} onInput={onInput} spellcheck={false} />
    )
  const mode = MODES[field.kind] ?? 'text'
  return (
    <>
      <input
        {...common}
        inputMode={mode}
        value={text}
        onInput={onInput}
        autocomplete="off"
        {...(field.known ? { type: 'text', list: listId } : {})}
      />
      {field.known && (
        <datalist id={listId}>
          {field.known.map(known => (
            <option key={known}>{known}</option>
          ))}
        </datalist>
      )}
    </>
  )
}

function Reference({ name, field, draft, id, about, set, errors }: InputProps) {
  const { to } = field.references ?? {}
  const target = typeof to === 'object' ? to[String(draft.value[to.by] ?? '')] : to
  if (target === undefined)
    return <p class="hint">Choose the {typeof to === 'object' ? lowered(titleOf(to.by)) : 'kind'} first.</p>
  const { [name]: value, tenant_id: tenant } = draft.value
  return (
    <Picker
      id={id}
      describedBy={about}
      isInvalid={errors.length > 0}
      resource={resourceNamed(target)}
      value={value === null || value === undefined || value === '' ? null : Number(value)}
      onPick={set}
      {...(typeof tenant === 'number' && target !== 'tenants' ? { tenantId: tenant } : {})}
    />
  )
}

const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Returns a random secret of some 120 bits, without ambiguous characters. */
function randomSecret(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(21))
  return Array.from(numbers, number => LETTERS[number % LETTERS.length]).join('')
}

/** A secret is hidden until requested, and can be generated or copied. */
function Secret({ name, field, draft, id, about, set, errors, isStored, onReveal }: InputProps) {
  const isShown = useSignal(false)
  const text = String(draft.value[name] ?? '')
  const reveal = async (): Promise<void> => {
    if (!isShown.value && text === '' && isStored && onReveal) set(await onReveal(name))
    isShown.value = !isShown.value
  }
  const make = (): void => {
    set(randomSecret())
    isShown.value = true
  }
  const canReveal = onReveal !== undefined || text !== ''
  return (
    <span class="secret">
      <input
        id={id}
        name={name}
        {...(isShown.value ? { type: 'text' as const } : { type: 'password' as const })}
        autocomplete="new-password"
        aria-describedby={about}
        aria-invalid={errors.length > 0}
        spellcheck={false}
        value={text}
        onInput={event => set(event.currentTarget.value)}
      />
      {canReveal && (
        <button type="button" aria-pressed={isShown.value} onClick={() => void reveal().catch(noteTrouble)}>
          {isShown.value ? 'Hide' : 'Show'}
        </button>
      )}
      {text !== '' && (
        <button
          type="button"
          onClick={() => void navigator.clipboard.writeText(text).then(() => note('Copied.'), noteTrouble)}
        >
          Copy
        </button>
      )}
      {field.generated && (
        <button type="button" onClick={make}>
          Make one
        </button>
      )}
    </span>
  )
}
