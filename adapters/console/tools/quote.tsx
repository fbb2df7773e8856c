import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { resourceNamed } from '../../../core/resources/all.ts'
import { submitting } from '../parts/controls.tsx'
import { MomentInput, momentHint } from '../parts/moment-input.tsx'
import { Picker } from '../parts/picker.tsx'
import { type FieldErrors, request } from '../state/api.ts'
import { objectOf, objectsOf } from '../state/load.ts'
import { here, idIn, setQuery } from '../state/location.ts'
import { zoneShown } from '../state/shown.ts'
import { useSubmission } from '../state/submission.ts'
import { zoneOf } from '../state/zones.ts'

const tenants = resourceNamed('tenants')

type Line = Readonly<Record<string, unknown>>

/** Shows what a call costs, explained step by step. */
export function QuoteScreen() {
  const { searchParams } = here.value
  const lines = useSignal<readonly Line[]>([])
  const { errors, submit } = useSubmission()
  const ask = (): Promise<void> =>
    submit(async () => {
      lines.value = []
      const json = {
        tenant_id: idIn(searchParams.get('tenant')),
        number: searchParams.get('number'),
        seconds: searchParams.get('seconds') ?? '60',
        at: searchParams.get('at'),
      }
      lines.value = objectsOf(objectOf((await request('POST', '/api/console/quote', { json })).data)['lines'])
    })
  return (
    <>
      <header class="title">
        <h1>What does a call cost?</h1>
      </header>
      <form class="record" onSubmit={submitting(ask)}>
        <Question asked={searchParams} errors={errors.value} />
        <div class="actions">
          <button type="submit" class="primary">
            Explain
          </button>
        </div>
      </form>
      <Steps lines={lines.value} />
    </>
  )
}

interface QuestionProps {
  /** The values of the fields: the query of the page's address. */
  readonly asked: URLSearchParams
  readonly errors: FieldErrors
}

function Question({ asked, errors }: QuestionProps) {
  const tenant = idIn(asked.get('tenant'))
  const timeZone = zoneShown(zoneOf(tenant))
  const set = (name: string, value: string): void => setQuery({ [name]: value || null }, true)
  const common = (name: string) => ({
    id: `quote-${name}`,
    value: asked.get(name) ?? '',
    errors: errors[name] ?? [],
  })
  return (
    <div class="fields">
      <Asked {...common('tenant_id')} label="Tenant" hint="">
        {({ id }) => (
          <Picker
            id={id}
            resource={tenants}
            value={tenant}
            onPick={picked => set('tenant', picked === null ? '' : String(picked))}
          />
        )}
      </Asked>
      <Asked {...common('number')} label="Number" hint="As dialled.">
        {input => <input {...input} onInput={event => set('number', event.currentTarget.value)} />}
      </Asked>
      <Asked {...common('seconds')} label="Seconds" hint="Answered seconds; default: 60.">
        {input => <input {...input} onInput={event => set('seconds', event.currentTarget.value)} />}
      </Asked>
      <Asked {...common('at')} label="Start" hint={`${momentHint(timeZone)} Default: now.`}>
        {input => <MomentInput {...input} timeZone={timeZone} onMoment={moment => set('at', moment)} />}
      </Asked>
    </div>
  )
}

interface AskedProps {
  readonly id: string
  readonly value: string
  readonly errors: readonly string[]
  readonly label: string
  readonly hint: string
  readonly children: (common: { readonly id: string; readonly value: string }) => ComponentChildren
}

const Asked = ({ id, value, errors, label, hint, children }: AskedProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    {children({ id, value })}
    {hint !== '' && <span class="hint">{hint}</span>}
    {errors.map(error => (
      <span key={error} class="error">
        {error}
      </span>
    ))}
  </div>
)

const Steps = ({ lines }: { readonly lines: readonly Line[] }) => (
  <dl class="steps" aria-live="polite">
    {lines.map(({ label, text, aside, isMain }, index) => (
      <div key={index}>
        <dt>{String(label)}</dt>
        <dd class={isMain ? 'main' : ''}>
          {String(text)}
          {String(aside)}
        </dd>
      </div>
    ))}
  </dl>
)
