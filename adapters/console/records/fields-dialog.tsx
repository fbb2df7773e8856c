import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Fields } from '../../../core/resources/resource.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Refusal } from '../state/api.ts'
import { noteTrouble } from '../state/notes.ts'
import { checked } from './draft.ts'
import { type Draft, FormField } from './fields.tsx'

interface FieldsDialogProps {
  readonly title: string
  readonly fields: Fields
  readonly initial: Draft
  /** True if the values are stored, so that only differences are sent. */
  readonly isStored?: boolean
  /** The label of the button. */
  readonly action: string
  /** Called with what to send. Its errors are shown beside the fields. */
  readonly onSubmit: (body: Readonly<Record<string, unknown>>) => Promise<void>
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

/** A short form in a window, built from declared fields. */
export function FieldsDialog(props: FieldsDialogProps) {
  const { title, fields, initial, isStored = false, action, onSubmit, onClose, children } = props
  const draft = useSignal<Draft>(initial)
  const errors = useSignal<Readonly<Record<string, readonly string[]>>>({})
  const isBusy = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  const show = (found: Readonly<Record<string, readonly string[]>>): void => {
    errors.value = found
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
  }
  const submit = async (): Promise<void> => {
    const { body, errors: found } = checked({ fields }, draft.value, isStored ? initial : null)
    if (Object.keys(found).length > 0) return show(found)
    isBusy.value = true
    try {
      await onSubmit(body)
    } catch (error) {
      if (error instanceof Refusal && Object.keys(error.errors).some(name => fields[name])) show(error.errors)
      else noteTrouble(error)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        ref={form}
        class="sign-in"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        {Object.entries(fields).map(([name, field]) => (
          <FormField
            key={name}
            name={name}
            field={field}
            draft={draft}
            errors={errors.value[name] ?? []}
            isStored={isStored}
          />
        ))}
        {children}
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy.value}>
            {action}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
