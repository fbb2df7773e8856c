import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  readonly onClose?: () => void
  readonly children: ComponentChildren
}

interface ConfirmationProps {
  readonly title: string
  /** The label of the button that does it. */
  readonly action: string
  /** The label of the button that leaves things as they are. */
  readonly refusal?: string
  readonly isSure?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Asks before something that cannot be undone. */
export const Confirmation = (props: ConfirmationProps) => (
  <Dialog title={props.title} onClose={props.onClose}>
    {props.children}
    <div class="actions">
      <button type="button" class="danger" disabled={props.isSure === false} onClick={props.onConfirm}>
        {props.action}
      </button>
      <button type="button" onClick={props.onClose}>
        {props.refusal ?? 'Keep'}
      </button>
    </div>
  </Dialog>
)

/** A modal dialog; without `onClose` it cannot be dismissed. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      {...(onClose ? {} : { closedby: 'none' })}
      onCancel={event => {
        event.preventDefault()
        onClose?.()
      }}
      onClose={() => {
        // A second Escape closes a dialog even if the first was prevented; older browsers ignore closedby.
        if (!onClose && element.current?.isConnected) element.current.showModal()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
