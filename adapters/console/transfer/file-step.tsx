import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { noteTrouble } from '../state/notes.ts'
import { bytesShown } from '../state/shown.ts'
import { type Sending, sendings, uploadKept } from '../state/uploads.ts'
import type { Asked } from './asked.ts'

interface FileStepProps {
  readonly asked: Asked
  readonly onFile: (file: File) => void
  readonly trouble: string | null
}

/** Takes a file, chosen or dropped. An upload that a reload of the page interrupted is resumed. */
export function FileStep({ asked: { upload }, onFile, trouble }: FileStepProps) {
  const isOver = useSignal(false)
  const sending = upload === null ? undefined : sendings.value.get(upload)
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the field within takes the keys */}
      <div
        class={`drop ${isOver.value ? 'over' : ''}`}
        onDragOver={event => {
          event.preventDefault()
          isOver.value = true
        }}
        onDragLeave={() => {
          isOver.value = false
        }}
        onDrop={event => {
          event.preventDefault()
          isOver.value = false
          const [file] = event.dataTransfer?.files ?? []
          if (file) onFile(file)
        }}
      >
        <label class="labelled">
          File: CSV, NDJSON or JSON
          <input
            type="file"
            accept=".csv,.txt,.tsv,.json,.ndjson,.jsonl,text/csv,application/json"
            onChange={event => {
              const [file] = event.currentTarget.files ?? []
              if (file) onFile(file)
            }}
          />
        </label>
        <span class="hint">or drop it here</span>
        {sending ? <Sent sending={sending} /> : upload !== null && <Kept key={upload} upload={upload} />}
      </div>
      {trouble && (
        <p class="trouble" role="alert">
          <bdi>{trouble}</bdi>
        </p>
      )}
    </>
  )
}

function Sent({ sending: { name, bytes, sent, state, failure } }: { readonly sending: Sending }) {
  return (
    <p role="status" class="sent">
      <bdi class="file-name">{name}</bdi>{' '}
      {state === 'done' ? bytesShown(bytes) : `${bytesShown(sent)} of ${bytesShown(bytes)}`}
      {state === 'waiting' && ' · it goes on as soon as the service is back'}
      {state === 'failed' && ` · ${failure}`}
      {state !== 'done' && <progress aria-label="Sent" value={sent} max={bytes} />}
    </p>
  )
}

/** Shows how much of a file the service has after a reload, when the browser no longer has the file. */
function Kept({ upload }: { readonly upload: number }) {
  const kept = useSignal<Awaited<ReturnType<typeof uploadKept>>>(null)
  useEffect(() => {
    uploadKept(upload)
      .then(found => {
        kept.value = found
      })
      .catch(noteTrouble)
  }, [upload])
  if (!kept.value) return null
  const { name, bytes, sent } = kept.value
  return (
    <p role="status">
      Choose <bdi class="file-name">{name}</bdi> again to go on: {bytesShown(sent)} of {bytesShown(bytes)} are here
      already.
    </p>
  )
}
