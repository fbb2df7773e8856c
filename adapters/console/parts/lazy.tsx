import { useSignal } from '@preact/signals'
import type { FunctionComponent } from 'preact'
import { useEffect } from 'preact/hooks'

/** Returns a component whose script is loaded when it is first shown, and `Missing` if that fails. */
export function lazily<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  Missing: FunctionComponent = Unloadable,
): FunctionComponent<P> {
  let Loaded: FunctionComponent<P> | null = null
  return props => {
    const state = useSignal<'loading' | 'loaded' | 'failed'>(Loaded ? 'loaded' : 'loading')
    useEffect(() => {
      if (state.value !== 'loading') return
      load().then(
        component => {
          Loaded = component
          state.value = 'loaded'
        },
        () => {
          state.value = 'failed'
        },
      )
    }, [])
    if (Loaded && state.value === 'loaded') return <Loaded {...props} />
    return state.value === 'failed' ? <Missing /> : <p class="hint">Loading…</p>
  }
}

/** A browser caches a script's failure, so only reloading the page helps; a newer service has other scripts. */
function Unloadable() {
  return (
    <div class="trouble" role="alert">
      This part of the console could not be loaded.{' '}
      <button type="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </div>
  )
}
