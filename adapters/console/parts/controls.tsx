import type { ComponentChildren } from 'preact'
import { resourceNamed } from '../../../core/resources/all.ts'
import { Picker } from './picker.tsx'

/** Returns a handler of `onSubmit` that does `act`, where the browser would send the form itself. */
export const submitting =
  (act: () => unknown) =>
  (event: Event): void => {
    event.preventDefault()
    void act()
  }

interface CheckProps {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly title?: string
  readonly children: ComponentChildren
}

/** A checkbox with its label. */
export const Check = ({ checked, onChange, title, children }: CheckProps) => (
  <label class="check" {...(title === undefined ? {} : { title })}>
    <input type="checkbox" checked={checked} onChange={event => onChange(event.currentTarget.checked)} />
    {children}
  </label>
)

interface TenantPickerProps {
  readonly id: string
  readonly tenant: number | null
  readonly onPick: (tenant: string | null) => void
}

/** A labelled picker of one tenant. */
export const TenantPicker = ({ id, tenant, onPick }: TenantPickerProps) => (
  <span class="labelled">
    <label for={id}>Tenant</label>
    <Picker
      id={id}
      resource={resourceNamed('tenants')}
      value={tenant}
      onPick={picked => onPick(picked === null ? null : String(picked))}
    />
  </span>
)
