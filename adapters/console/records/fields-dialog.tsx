import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Fields } from '../../../core/resources/resource.ts'
import { submitting } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useSubmission } from '../state/submission.ts'
import { checked } from './draft.ts'
import { type Draft, FormFields, useFirstWrong } from './fields.tsx'

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
  const { errors, isBusy, submit } = useSubmission(name => Object.hasOwn(fields, name))
  const form = useFirstWrong(errors)
  const send = async (): Promise<void> => {
    const { body, errors: found } = checked({ fields }, draft.value, isStored ? initial : null)
    if (Object.keys(found).length > 0) errors.value = found
    else await submit(() => onSubmit(body))
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form ref={form} class="sign-in" noValidate onSubmit={submitting(send)}>
        <FormFields fields={fields} draft={draft} errors={errors.value} isStored={isStored} />
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
