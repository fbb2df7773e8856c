import { useSignal } from '@preact/signals'
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
  const input = (name: string, label: string, hint: string) => {
    const common = { id: `quote-${name}`, value: searchParams.get(name) ?? '' }
    return (
      <div class="field">
        <label for={common.id}>{label}</label>
        {name === 'at' ? (
          <MomentInput {...common} timeZone={timeZone} onMoment={moment => set(name, moment)} />
        ) : (
          <input {...common} onInput={event => set(name, event.currentTarget.value)} />
        )}
        <span class="hint">{hint}</span>
        {errors.value[name]?.map(error => (
          <span key={error} class="error">
            {error}
          </span>
        ))}
      </div>
    )
  }
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
          <div class="field">
            <label for="quote-tenant">Tenant</label>
            <Picker
              id="quote-tenant"
              resource={tenants}
              value={tenant === null ? null : Number(tenant)}
              onPick={id => setQuery({ tenant: id === null ? null : String(id) }, true)}
            />
            {errors.value['tenant_id']?.map(error => (
              <span key={error} class="error">
                {error}
              </span>
            ))}
          </div>
          {input('number', 'Number', 'As dialled.')}
          {input('seconds', 'Seconds', 'Answered seconds; default: 60.')}
          {input('at', 'Start', `${momentHint(timeZone)} Default: now.`)}
        </div>
        <div class="actions">
          <button type="submit" class="primary">
            Explain
          </button>
        </div>
      </form>
      <dl class="steps" aria-live="polite">
        {lines.value.map(({ label, text, aside, isMain }, index) => (
          <div key={index}>
            <dt>{String(label)}</dt>
            <dd class={isMain ? 'main' : ''}>
              {String(text)}
              {String(aside)}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}
