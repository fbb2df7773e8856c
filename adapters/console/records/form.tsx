import { resourceNamed } from '../../../core/resources/all.ts'
import { TENANT } from '../../../core/resources/references/within.ts'
import { lowered, type Resource } from '../../../core/resources/resource.ts'
import { submitting } from '../parts/controls.tsx'
import type { RecordData } from '../state/api.ts'
import { here } from '../state/location.ts'
import { canEdit } from '../state/pages.ts'
import { may, me, reserved } from '../state/session.ts'
import { Conflict } from './conflict.tsx'
import { type Editing, type Opened, useEditing } from './editing.ts'
import { FormField, useFirstWrong } from './fields.tsx'
import type { Proposal } from './undo.ts'

interface FormProps {
  readonly resource: Resource
  /** null: a new record. */
  readonly opened: Opened | null
  readonly onSaved: (record: RecordData) => void
  readonly proposal?: Proposal
}

/** The form of a record, built from its declaration. */
export function RecordForm(props: FormProps) {
  const { resource, opened, proposal } = props
  const editing = useEditing({ ...props, presets: presets() })
  const form = useFirstWrong(editing.errors)
  const isEditable = canEdit(opened ? 'change' : 'create', resource)
  return (
    <form ref={form} class="record" noValidate onSubmit={submitting(() => editing.save())}>
      {proposal && (
        <p class="trouble" role="status">
          {proposal.why}
        </p>
      )}
      <Troubles resource={resource} editing={editing} />
      <Conflict resource={resource} editing={editing} />
      <fieldset class="bare fields" disabled={!isEditable}>
        <OwnFields resource={resource} editing={editing} isStored={opened !== null} />
      </fieldset>
      {isEditable && (
        <div class="actions">
          <button type="submit" class="primary" disabled={editing.isSaving.value}>
            {opened ? 'Save' : `Create ${lowered(resource.label)}`}
          </button>
          {editing.isChanged() && (
            <button type="button" onClick={() => editing.undo()}>
              Undo what I typed
            </button>
          )}
        </div>
      )}
    </form>
  )
}

/**
 * Returns the initial values of a new record: those in the page's query, and the tenant of an account that has only
 * one.
 */
function presets(): URLSearchParams {
  const given = new URLSearchParams(here.value.searchParams)
  const { tenant } = me.value ?? {}
  if (tenant) given.set(TENANT, String(tenant.id))
  return given
}

interface PartProps {
  readonly resource: Resource
  readonly editing: Editing
}

/** What went wrong beyond the fields of the form. */
function Troubles({ resource: { fields }, editing: { trouble, errors } }: PartProps) {
  const others = Object.entries(errors.value).filter(([name]) => !Object.hasOwn(fields, name))
  const sentences = [...(trouble.value ? [trouble.value] : []), ...others.map(([, found]) => found.join(' '))]
  return (
    <>
      {sentences.map(sentence => (
        <p key={sentence} class="trouble" role="alert">
          {sentence}
        </p>
      ))}
    </>
  )
}

function OwnFields({ resource, editing, isStored }: PartProps & { readonly isStored: boolean }) {
  const { draft, errors } = editing
  const fixed = reserved(resource)
  const canReveal = isStored && may('reveal', resource)
  return (
    <>
      {Object.entries(resource.fields)
        .filter(([name]) => isFieldShown(resource, name))
        .map(([name, field]) => (
          <fieldset key={name} class="bare one" disabled={isStored && fixed.includes(name)}>
            <FormField
              name={name}
              field={field}
              draft={draft}
              errors={errors.value[name] ?? []}
              isStored={isStored}
              {...(canReveal && !field.writeOnly ? { onReveal: (secret: string) => editing.reveal(secret) } : {})}
            />
          </fieldset>
        ))}
    </>
  )
}

/** True unless the field only names something that the account may not see. */
const isFieldShown = ({ name: of, fields }: Resource, name: string): boolean =>
  !fields[name]?.writeOnly || resourceNamed(of).fields[name]?.writeOnly === true
