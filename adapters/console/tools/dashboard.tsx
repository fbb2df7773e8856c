import { resourceNamed } from '../../../core/resources/all.ts'
import { lowered } from '../../../core/resources/resource.ts'
import type { StatusClass } from '../../../core/sms/status-class.ts'
import { Shown } from '../parts/states.tsx'
import { objectOf, objectsOf, useEvery, useLoaded } from '../state/load.ts'
import { canEdit, isOffered } from '../state/pages.ts'
import { may } from '../state/session.ts'
import { bytesShown, momentShown, pathOf, zoneShown } from '../state/shown.ts'

const EVERY_MS = 5_000

interface TileProps {
  readonly figure: string
  readonly title: string
  readonly advice: string
  /** A link to where it can be handled. */
  readonly href?: string
}

const ADVICE: Readonly<Record<StatusClass | 'other', string>> = {
  delivered: 'In the last 24 hours.',
  failed: 'In the last 24 hours: look why, and send them again.',
  pending: 'They have no final status yet.',
  unknown: 'Their outcome will stay unknown.',
  other: 'Their status is a word that the gateway’s profile does not know.',
}

const NOT_SHOWN_AT_ZERO: ReadonlySet<string> = new Set(['unknown', 'other'])
const count = (value: unknown): string => Number(value).toLocaleString('en')
const ago = (at: unknown, ms: number): string => new Date(Date.parse(String(at)) - ms).toISOString()
const HOUR_MS = 3_600_000

/** Shows what needs attention, each with a link to where it can be handled. */
export function Dashboard() {
  const pulse = useLoaded('/api/console/pulse', objectOf)
  useEvery(EVERY_MS, pulse.reload)
  return (
    <>
      <header class="title">
        <h1>Dashboard</h1>
      </header>
      <Shown of={pulse}>
        {data => (
          <>
            <ul class="tiles">
              {[...callTiles(data), ...messageTiles(data), ...jobTiles(data), ...serviceTiles(data)].map(tile => (
                <Tile key={tile.title} {...tile} />
              ))}
            </ul>
            <p class="hint">
              As of {momentShown(data['at'])} {zoneShown()}.
            </p>
          </>
        )}
      </Shown>
      <OftenDone />
    </>
  )
}

type Data = Readonly<Record<string, unknown>>

const callTiles = ({ at, calls, unrated }: Data): TileProps[] => [
  {
    figure: Number(calls) > 10_000 ? '10,000+' : count(calls),
    title: 'Calls in the last hour',
    href: `/cdrs?from=${ago(at, HOUR_MS)}`,
    advice: 'By when they began.',
  },
  {
    figure: count(unrated),
    title: 'Unrated calls',
    href: '/cdrs?unrated=true',
    advice: Number(unrated) > 0 ? 'No rate matched them: look at them, then add a rate.' : 'Every call has a price.',
  },
]

function messageTiles({ at, messages }: Data): TileProps[] {
  const figures = objectOf(messages)
  const from = ago(at, 24 * HOUR_MS)
  return (Object.keys(ADVICE) as (keyof typeof ADVICE)[]).flatMap(status => {
    const figure = Number(figures[status] ?? 0)
    if (figure === 0 && NOT_SHOWN_AT_ZERO.has(status)) return []
    const chosen = status === 'other' ? '' : `filter[status_class]=${status}&`
    return {
      figure: count(figure),
      title: `Messages ${status}`,
      href: `/sms-messages?${chosen}from=${from}`,
      advice: ADVICE[status],
    }
  })
}

/** No tiles while no job waits or runs. */
function jobTiles({ jobs }: Data): TileProps[] {
  const open = objectsOf(jobs)
  const [latest] = open
  if (!latest || !isOffered({ at: 'jobs' })) return []
  const advice = `${count(latest['rows'])} rows of the latest so far.`
  return [
    { figure: count(open.length), title: 'Imports and exports running', href: `/jobs?job=${latest['id']}`, advice },
  ]
}

/** No tiles for an account of one tenant. */
function serviceTiles({ service }: Data): TileProps[] {
  if (!service) return []
  const { quarantined, feeds, phones, backup } = objectOf(service)
  const followed = objectsOf(feeds)
  return [
    {
      figure: count(quarantined),
      title: 'In quarantine',
      ...(may('read', 'quarantine') ? { href: '/quarantine' } : {}),
      advice: Number(quarantined) > 0 ? 'Records of a switch that could not be used.' : 'Every record could be used.',
    },
    ...followed.map(({ name, lag }) => ({
      figure: bytesShown(Number(lag)),
      title: `Waiting in ${String(name).split('/').at(-1)}`,
      href: `/quarantine?feed=${encodeURIComponent(String(name))}`,
      advice: 'Call records not stored yet.',
    })),
    ...(phones === null
      ? []
      : [{ figure: count(phones), title: 'Telephones registered', href: '/extensions', advice: 'On the switches.' }]),
    {
      figure: backup === null ? 'None' : momentShown(backup).slice(0, 16),
      title: 'Newest backup',
      advice: backup === null ? 'The setting backup_every makes them.' : `Begun then, ${zoneShown()}.`,
    },
  ]
}

function Tile({ figure, title, href, advice }: TileProps) {
  const content = (
    <>
      <span class="figure">{figure}</span>
      <span>
        <bdi>{title}</bdi>
      </span>
      <span class="hint">{advice}</span>
    </>
  )
  return (
    <li>
      {href === undefined ? (
        <div class="tile">{content}</div>
      ) : (
        <a class="tile" href={href}>
          {content}
        </a>
      )}
    </li>
  )
}

const NEW = ['tenants', 'extensions'].map(resourceNamed)

function OftenDone() {
  const pages = [
    ['quote', 'What does a call cost?'],
    ['usage', 'Usage of a month'],
  ] as const
  return (
    <nav class="actions" aria-label="Often done">
      {NEW.filter(resource => canEdit('create', resource)).map(resource => (
        <a key={resource.name} class="button" href={pathOf(resource, 'new')}>
          New {lowered(resource.label)}
        </a>
      ))}
      {pages
        .filter(([at]) => isOffered({ at }))
        .map(([at, title]) => (
          <a key={at} class="button" href={`/${at}`}>
            {title}
          </a>
        ))}
    </nav>
  )
}
