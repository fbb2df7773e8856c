import { type Signal, signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { isJsonObject } from '../../../core/json.ts'
import { collectionOf, type Resource } from '../../../core/resources/resource.ts'
import { asRecord, type FieldErrors, type RecordData, Refusal, request, Unreached } from '../state/api.ts'
import { guardLeaving } from '../state/location.ts'
import { note } from '../state/notes.ts'
import { CreatingOnce, Once, type Written, written } from '../state/once.ts'
import { checked, draftOf, holds } from './draft.ts'
import type { Draft } from './fields.tsx'
import type { Proposal } from './undo.ts'

export interface Opened {
  readonly record: RecordData
  /** The ETag of the version that was read. */
  readonly version: string
}

export interface EditingOptions {
  readonly resource: Resource
  /** null: a new record. */
  readonly opened: Opened | null
  /** The initial values of a new record. */
  readonly presets: URLSearchParams
  readonly onSaved: (record: RecordData) => void
  readonly proposal?: Proposal
}

type Body = Readonly<Record<string, unknown>>

const NO_PRESETS = new URLSearchParams()
const FOUND = 'It was saved before the connection was lost.'

async function reread(path: string): Promise<Opened> {
  const { data, headers } = await request('GET', path)
  return { record: asRecord(data), version: headers.get('etag') ?? '' }
}

/** What is being typed into the form of a record, and the outcome of saving it. */
export class Editing {
  readonly draft: Signal<Draft>
  /** The values as they are stored, as far as known. */
  readonly original: Signal<Draft>
  /** Sentences by field. */
  readonly errors = signal<FieldErrors>({})
  /** Why the record was not saved, if no field is to blame. */
  readonly trouble = signal<string | null>(null)
  /** The record as somebody else has changed it meanwhile. */
  readonly theirs = signal<Opened | null>(null)
  readonly isSaving = signal(false)
  readonly #options: EditingOptions
  readonly #path: string
  #version: string | null
  readonly #saving = new Once()
  readonly #creating = new CreatingOnce()

  constructor(options: EditingOptions) {
    const { resource, opened, presets, proposal } = options
    this.#options = options
    this.#path = `/api/console/records/${collectionOf(resource)}${opened ? `/${opened.record.id}` : ''}`
    this.#version = opened?.version ?? null
    this.original = signal<Draft>(draftOf(resource, opened?.record ?? null, presets))
    this.draft = signal<Draft>({ ...this.original.value, ...proposal?.values })
  }

  isChanged(): boolean {
    const original = this.original.value
    return Object.entries(this.draft.value).some(([name, value]) => value !== original[name])
  }

  async save(): Promise<void> {
    const { resource, opened, onSaved } = this.#options
    const sent = this.draft.value
    const { body, errors } = checked(resource, sent, opened ? this.original.value : null)
    this.trouble.value = null
    if (Object.keys(errors).length > 0) {
      this.errors.value = errors
      return
    }
    if (opened && Object.keys(body).length === 0) return note('Nothing has changed.')
    this.isSaving.value = true
    try {
      const { record, outcome } = opened ? await this.#change(opened, body) : await this.#create(body)
      this.original.value = sent
      this.errors.value = {}
      this.theirs.value = null
      note(outcome)
      onSaved(record)
    } catch (error) {
      await this.#failed(error)
    } finally {
      this.isSaving.value = false
    }
  }

  undo(): void {
    this.draft.value = this.original.value
    this.errors.value = {}
  }

  /** Goes on from the record as it was read again, and keeps what is typed. */
  goOn(opened: Opened): void {
    if (opened.version === this.#version) return
    this.#goOnFrom(opened, this.#typed())
  }

  takeTheirs(): void {
    this.#goOnFrom(this.theirs.value, {})
  }

  /** Saves what was typed over the other's changes. */
  keepMine(): void {
    this.#goOnFrom(this.theirs.value, this.#typed())
    void this.save()
  }

  #typed(): Draft {
    const original = this.original.value
    return Object.fromEntries(Object.entries(this.draft.value).filter(([name, value]) => value !== original[name]))
  }

  /** Returns the stored secret. */
  async reveal(name: string): Promise<string> {
    const { data } = await request('POST', `${this.#path}/secrets`)
    const secret = isJsonObject(data) ? String(data[name] ?? '') : ''
    this.original.value = { ...this.original.value, [name]: secret }
    return secret
  }

  /** Changes the stored record, unless an earlier try whose answer was lost did. */
  #change({ version }: Opened, json: Body): Promise<Written> {
    const typed = this.#typed()
    const find = async (): Promise<RecordData | undefined> => {
      const { record } = await reread(this.#path)
      const stored = draftOf(this.#options.resource, record, NO_PRESETS)
      return Object.entries(typed).every(([name, value]) => stored[name] === value) ? record : undefined
    }
    const headers = { 'if-match': this.#version ?? version }
    return this.#saving.write(() => written('PATCH', this.#path, { json, headers }), find, FOUND)
  }

  /** Creates the record, unless an earlier try whose answer was lost did. */
  #create(json: Body): Promise<Written> {
    const { resource } = this.#options
    const isSame = (record: RecordData): boolean => holds(resource, record, json)
    return this.#creating.create({ list: this.#path, path: this.#path, json, isSame, found: FOUND })
  }

  async #failed(error: unknown): Promise<void> {
    const { opened } = this.#options
    if (error instanceof Refusal && error.status === 409 && opened) this.theirs.value = await reread(this.#path)
    else if (error instanceof Refusal && error.status === 422) {
      if (Object.keys(error.errors).length === 0) this.trouble.value = error.message
      this.errors.value = error.errors
    } else if (error instanceof Refusal) this.trouble.value = error.message
    else if (error instanceof Unreached) {
      const isUnsure = this.#saving.isUnsure.value || this.#creating.isUnsure.value
      const next = isUnsure ? ' The next try looks first whether it was.' : ''
      this.trouble.value = `${error.message} What you typed is kept here.${next}`
    } else throw error
  }

  /** Goes on from that version of the record, with these values typed. */
  #goOnFrom(opened: Opened | null, typed: Draft): void {
    const now = draftOf(this.#options.resource, opened?.record ?? null, NO_PRESETS)
    this.#version = opened?.version ?? null
    this.original.value = now
    this.draft.value = { ...now, ...typed }
    this.theirs.value = null
  }
}

/** Begins to edit a record, and protects what is typed from being left by mistake. */
export function useEditing(options: EditingOptions): Editing {
  const { opened } = options
  const editing = useMemo(() => new Editing(options), [])
  useLayoutEffect(() => {
    if (opened) editing.goOn(opened)
  }, [opened?.version])
  useEffect(
    () =>
      guardLeaving(() => !editing.isChanged() || editing.isSaving.value, 'What you have typed is not saved. Leave it?'),
    [editing],
  )
  return editing
}
