import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { resourceNamed } from '../../../core/resources/all.ts'
import { MomentInput, momentHint } from '../parts/moment-input.tsx'
import { Picker } from '../parts/picker.tsx'
import { Refusal, request } from '../state/api.ts'
import { objectOf, objectsOf } from '../state/load.ts'
import { here, setQuery } from '../state/location.ts'
import { note } from '../state/notes.ts'
import { zoneShown } from '../state/shown.ts'
import { zoneOf } from '../state/zones.ts'

const tenants = resourceNamed('tenants')

/** Shows what a call costs, explained step by step. */
export function QuoteScreen() {
  const { searchParams } = here.value
  const lines = useSignal<readonly Readonly<Record<string, unknown>>[]>([])
  const errors = useSignal<Readonly<Record<string, readonly string[]>>>({})
  const tenant = searchParams.get('tenant')
  const ask = async (): Promise<void> => {
    errors.value = {}
    const json = {
      tenant_id: tenant === null ? null : Number(tenant),
      number: searchParams.get('number'),
      seconds: searchParams.get('seconds') ?? '60',
      at: searchParams.get('at'),
    }
    try {
      lines.value = objectsOf(objectOf((await request('POST', '/api/console/quote', { json })).data)['lines'])
    } catch (error) {
      lines.value = []
      if (!(error instanceof Refusal)) throw error
      errors.value = error.errors
      if (Object.keys(error.errors).length === 0) note(error.message, 'trouble')
    }
  }
  const timeZone = zoneShown(zoneOf(tenant === null ? null : Number(tenant)))
  const set = (name: string, value: string): void => setQuery({ [name]: value || null }, true)
  const asked = (name: string) => ({
    id: `quote-${name}`,
    value: searchParams.get(name) ?? '',
    errors: errors.value[name] ?? [],
  })
  return (
    <>
      <header class="title">
        <h1>What does a call cost?</h1>
      </header>
      <form
        class="record"
        onSubmit={event => {
          event.preventDefault()
          void ask()
        }}
      >
        <div class="fields">
          <Asked {...asked('tenant_id')} label="Tenant" hint="">
            {({ id }) => (
              <Picker
                id={id}
                resource={tenants}
                value={tenant === null ? null : Number(tenant)}
                onPick={picked => set('tenant', picked === null ? '' : String(picked))}
              />
            )}
          </Asked>
          <Asked {...asked('number')} label="Number" hint="As dialled.">
            {common => <input {...common} onInput={event => set('number', event.currentTarget.value)} />}
          </Asked>
          <Asked {...asked('seconds')} label="Seconds" hint="Answered seconds; default: 60.">
            {common => <input {...common} onInput={event => set('seconds', event.currentTarget.value)} />}
          </Asked>
          <Asked {...asked('at')} label="Start" hint={`${momentHint(timeZone)} Default: now.`}>
            {common => <MomentInput {...common} timeZone={timeZone} onMoment={moment => set('at', moment)} />}
          </Asked>
        </div>
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

const Steps = ({ lines }: { readonly lines: readonly Readonly<Record<string, unknown>>[] }) => (
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
