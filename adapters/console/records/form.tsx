import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { isJsonObject } from '../../../core/json.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { TENANT } from '../../../core/resources/references/within.ts'
import { collectionOf, lowered, type Resource } from '../../../core/resources/resource.ts'
import { asRecord, type RecordData, Refusal, request, Unreached } from '../state/api.ts'
import { guardLeaving, here } from '../state/location.ts'
import { note } from '../state/notes.ts'
import { canEdit } from '../state/pages.ts'
import { may, me, reserved } from '../state/session.ts'
import { valueShown } from '../state/shown.ts'
import { checked, draftOf } from './draft.ts'
import { type Draft, FormField, zoneIn } from './fields.tsx'
import type { Proposal } from './undo.ts'

export interface Opened {
  readonly record: RecordData
  /** The ETag of the version that was read. */
  readonly version: string
}

interface FormProps {
  readonly resource: Resource
  /** null: a new record. */
  readonly opened: Opened | null
  readonly onSaved: (record: RecordData) => void
  readonly proposal?: Proposal
}

const same = (one: Draft, other: Draft): boolean => Object.keys(one).every(name => one[name] === other[name])

/** The form of a record, built from its declaration. */
export function RecordForm({ resource, opened, onSaved, proposal }: FormProps) {
  const original = useSignal<Draft>(draftOf(resource, opened?.record ?? null, presets()))
  const version = useSignal(opened?.version ?? null)
  const draft = useSignal<Draft>({ ...original.value, ...proposal?.values })
  const errors = useSignal<Readonly<Record<string, readonly string[]>>>({})
  const trouble = useSignal<string | null>(null)
  const theirs = useSignal<Opened | null>(null)
  const isSaving = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  const isEditable = canEdit(opened ? 'change' : 'create', resource)
  const fixed = reserved(resource)
  const path = `/api/console/records/${collectionOf(resource)}${opened ? `/${opened.record.id}` : ''}`

  useEffect(
    () =>
      guardLeaving(
        () => same(draft.value, original.value) || isSaving.value,
        'What you have typed is not saved. Leave it?',
      ),
    [],
  )

  const showErrors = (found: Readonly<Record<string, readonly string[]>>): void => {
    errors.value = found
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
  }
  const save = async (): Promise<void> => {
    const { body, errors: found } = checked(resource, draft.value, opened ? original.value : null)
    trouble.value = null
    if (Object.keys(found).length > 0) return showErrors(found)
    if (opened && Object.keys(body).length === 0) return note('Nothing has changed.')
    isSaving.value = true
    try {
      const headers = version.value === null ? {} : { 'if-match': version.value }
      const { data, message } = await request(opened ? 'PATCH' : 'POST', path, { json: body, headers })
      original.value = draft.value
      errors.value = {}
      theirs.value = null
      note(message)
      onSaved(asRecord(data))
    } catch (error) {
      await failed(error)
    } finally {
      isSaving.value = false
    }
  }
  const failed = async (error: unknown): Promise<void> => {
    if (error instanceof Refusal && error.status === 422) {
      if (Object.keys(error.errors).length === 0) trouble.value = error.message
      return showErrors(error.errors)
    }
    if (error instanceof Refusal && error.status === 409 && opened) {
      theirs.value = await reread(path)
      return
    }
    if (!(error instanceof Refusal || error instanceof Unreached)) throw error
    trouble.value =
      error instanceof Unreached
        ? `${error.message} What you typed is kept here. Look at the ${opened ? 'record' : 'list'} before you save again.`
        : error.message
  }
  const reveal = async (name: string): Promise<string> => {
    const { data } = await request('POST', `${path}/secrets`)
    const secret = isJsonObject(data) ? String(data[name] ?? '') : ''
    original.value = { ...original.value, [name]: secret }
    return secret
  }
  const hasOwn = Object.entries(resource.fields).filter(([name]) => Object.hasOwn(errors.value, name))
  const others = Object.entries(errors.value).filter(([name]) => !hasOwn.some(([own]) => own === name))
  return (
    <form
      ref={form}
      class="record"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        void save()
      }}
    >
      {proposal && (
        <p class="trouble" role="status">
          {proposal.why}
        </p>
      )}
      {trouble.value && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
      {others.map(([name, sentences]) => (
        <p key={name} class="trouble" role="alert">
          {sentences.join(' ')}
        </p>
      ))}
      {theirs.value && (
        <Conflict
          resource={resource}
          draft={draft.value}
          original={original.value}
          theirs={theirs.value}
          onTakeTheirs={() => {
            const taken = draftOf(resource, theirs.value?.record ?? null, new URLSearchParams())
            version.value = theirs.value?.version ?? null
            original.value = taken
            draft.value = taken
            theirs.value = null
          }}
          onKeepMine={() => {
            const now = draftOf(resource, theirs.value?.record ?? null, new URLSearchParams())
            const mine = Object.entries(draft.value).filter(([name, value]) => value !== original.value[name])
            version.value = theirs.value?.version ?? null
            original.value = now
            draft.value = { ...now, ...Object.fromEntries(mine) }
            theirs.value = null
            void save()
          }}
        />
      )}
      <fieldset class="bare fields" disabled={!isEditable}>
        {Object.entries(resource.fields)
          .filter(([name]) => isFieldShown(resource, name))
          .map(([name, field]) => (
            <fieldset key={name} class="bare one" disabled={opened !== null && fixed.includes(name)}>
              <FormField
                key={name}
                name={name}
                field={field}
                draft={draft}
                errors={errors.value[name] ?? []}
                isStored={opened !== null}
                {...(opened && !field.writeOnly && may('reveal', resource) ? { onReveal: reveal } : {})}
              />
            </fieldset>
          ))}
      </fieldset>
      {isEditable && (
        <div class="actions">
          <button type="submit" class="primary" disabled={isSaving.value}>
            {opened ? 'Save' : `Create ${lowered(resource.label)}`}
          </button>
          {!same(draft.value, original.value) && (
            <button
              type="button"
              onClick={() => {
                draft.value = original.value
                errors.value = {}
              }}
            >
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

/** True unless the field only names something that the account may not see. */
const isFieldShown = ({ name: of, fields }: Resource, name: string): boolean =>
  !fields[name]?.writeOnly || resourceNamed(of).fields[name]?.writeOnly === true

async function reread(path: string): Promise<Opened> {
  const { data, headers } = await request('GET', path)
  return { record: asRecord(data), version: headers.get('etag') ?? '' }
}

interface ConflictProps {
  readonly resource: Resource
  readonly draft: Draft
  readonly original: Draft
  readonly theirs: Opened
  readonly onTakeTheirs: () => void
  readonly onKeepMine: () => void
}

/** Shows two people's changes of the same record, field by field. */
function Conflict({ resource, draft, original, theirs, onTakeTheirs, onKeepMine }: ConflictProps) {
  const now = draftOf(resource, theirs.record, new URLSearchParams())
  const rows = Object.entries(resource.fields).filter(
    ([name, { secret }]) => !secret && (now[name] !== original[name] || draft[name] !== original[name]),
  )
  return (
    <section class="trouble" role="alert" aria-label="Changed by someone else">
      <p>Someone else has changed this {lowered(resource.label)} since you opened it.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Theirs</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, field]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <bdi>{valueShown(field, now[name], zoneIn(now))}</bdi>
              </td>
              <td>
                <bdi>{valueShown(field, draft[name], zoneIn(draft))}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="actions">
        <button type="button" onClick={onKeepMine}>
          Save mine over it
        </button>
        <button type="button" onClick={onTakeTheirs}>
          Take theirs
        </button>
      </div>
    </section>
  )
}
