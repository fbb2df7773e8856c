import { useEffect } from 'preact/hooks'
import { Shown } from '../parts/states.tsx'
import { objectOf, useLoaded } from '../state/load.ts'
import { momentShown, titleOf, zoneShown } from '../state/shown.ts'

const EVERY_MS = 5_000

/** Asks again and again while the page is looked at. */
function useEvery(reload: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload()
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [])
}

/** What needs somebody's attention, each with a link to where it is seen to. */
export function Dashboard() {
  const pulse = useLoaded('/api/console/pulse', objectOf)
  useEvery(pulse.reload)
  return (
    <>
      <header class="title">
        <h1>Dashboard</h1>
      </header>
      <Shown of={pulse}>
        {({ unrated, quarantined, messages, at }) => (
          <>
            <ul class="tiles">
              <Tile
                count={Number(unrated)}
                title="Unrated calls"
                href="/cdrs?unrated=true"
                advice={
                  Number(unrated) > 0 ? 'No rate matched them: see them, then add a rate.' : 'Every call has a price.'
                }
              />
              <Tile
                count={Number(quarantined)}
                title="In quarantine"
                href="/quarantine"
                advice={
                  Number(quarantined) > 0
                    ? 'Records of a switch that could not be used.'
                    : 'Every record could be used.'
                }
              />
              {Object.entries(objectOf(messages)).map(([status, count]) => (
                <Tile
                  key={status}
                  count={Number(count)}
                  title={`Messages ${titleOf(status).toLowerCase()}`}
                  href="/sms-messages"
                  advice="In the last 24 hours."
                />
              ))}
            </ul>
            <p class="hint">
              As of {momentShown(at)} {zoneShown()}.
            </p>
          </>
        )}
      </Shown>
      <nav class="actions" aria-label="Often done">
        <a class="button" href="/tenants/new">
          New tenant
        </a>
        <a class="button" href="/extensions/new">
          New extension
        </a>
        <a class="button" href="/quote">
          What does a call cost?
        </a>
        <a class="button" href="/usage">
          Usage of a month
        </a>
      </nav>
    </>
  )
}

interface TileProps {
  readonly count: number
  readonly title: string
  readonly href: string
  readonly advice: string
}

const Tile = ({ count, title, href, advice }: TileProps) => (
  <li>
    <a class="tile" href={href}>
      <span class="figure">{count.toLocaleString('en')}</span>
      <span>{title}</span>
      <span class="hint">{advice}</span>
    </a>
  </li>
)
