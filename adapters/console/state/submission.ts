import { type Signal, useSignal } from '@preact/signals'
import { type FieldErrors, Refusal } from './api.ts'
import { noteTrouble } from './notes.ts'

export interface Submission {
  /** The sentences of the latest refusal, by field. */
  readonly errors: Signal<FieldErrors>
  readonly isBusy: Signal<boolean>
  /** Sends something. Errors of fields are kept; any other trouble is noted. Never rejects. */
  submit(send: () => Promise<void>): Promise<void>
}

/** What a form sends, and which of its fields were refused. `isField` tells which errors the form can show. */
export function useSubmission(isField: (name: string) => boolean = () => true): Submission {
  const errors = useSignal<FieldErrors>({})
  const isBusy = useSignal(false)
  const submit = async (send: () => Promise<void>): Promise<void> => {
    errors.value = {}
    isBusy.value = true
    try {
      await send()
    } catch (error) {
      if (error instanceof Refusal && Object.keys(error.errors).some(isField)) errors.value = error.errors
      else noteTrouble(error)
    } finally {
      isBusy.value = false
    }
  }
  return { errors, isBusy, submit }
}
