import type { FunctionComponent } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { PageName } from '../../core/console/paths.ts'
import { resourceOf } from '../../core/resources/all.ts'
import { opened } from './keys/shortcuts.ts'
import { KeyWindows } from './keys/windows.tsx'
import { ListScreen } from './lists/list-screen.tsx'
import { Check } from './parts/controls.tsx'
import { Dialog } from './parts/dialog.tsx'
import { lazily } from './parts/lazy.tsx'
import { SignInForm } from './session/sign-in.tsx'
import { isReachable } from './state/api.ts'
import { here, place } from './state/location.ts'
import { dismiss, notes, noteTrouble } from './state/notes.ts'
import { isOffered, menu } from './state/pages.ts'
import { isUtc, setUtc } from './state/preferences.ts'
import { isExpired, me, seen, signOut } from './state/session.ts'
import { Dashboard } from './tools/dashboard.tsx'

const SCREENS: Readonly<Record<PageName, FunctionComponent>> = {
  usage: lazily(async () => (await import('./tools/usage.tsx')).UsageScreen),
  quote: lazily(async () => (await import('./tools/quote.tsx')).QuoteScreen),
  quarantine: lazily(async () => (await import('./tools/quarantine.tsx')).QuarantineScreen),
  rerate: lazily(async () => (await import('./tools/rerate.tsx')).RerateScreen),
  audit: lazily(async () => (await import('./tools/audit.tsx')).AuditScreen),
  accounts: lazily(async () => (await import('./tools/accounts.tsx')).AccountsScreen),
  sessions: lazily(async () => (await import('./tools/sessions.tsx')).SessionsScreen),
  import: lazily(async () => (await import('./transfer/import.tsx')).ImportScreen),
  jobs: lazily(async () => (await import('./transfer/jobs.tsx')).JobsScreen),
}

const NewScreen = lazily(async () => (await import('./records/record-screen.tsx')).NewScreen)
const RecordScreen = lazily(async () => (await import('./records/record-screen.tsx')).RecordScreen)

export function App() {
  if (me.value === undefined) return <main class="alone">{isReachable.value ? 'Loading…' : <Away />}</main>
  if (me.value === null)
    return (
      <main class="alone">
        <h1>Trunkline</h1>
        <SignInForm />
      </main>
    )
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header />
      <Menu />
      <main id="main" tabIndex={-1}>
        {!isReachable.value && <Away />}
        <Screen />
      </main>
      <Notes />
      <KeyWindows />
      {isExpired.value && (
        <Dialog title="Your session has ended">
          <p>Nothing you typed is lost. Log in to continue.</p>
          <SignInForm email={me.value.email} />
        </Dialog>
      )}
    </>
  )
}

const Away = () => (
  <p class="banner" role="alert">
    The service cannot be reached. What you typed is kept; the console continues as soon as the service is back.
  </p>
)

function Header() {
  return (
    <header class="top">
      <a href="/" class="brand">
        Trunkline
      </a>
      <span class="grow" />
      <button
        type="button"
        onClick={() => {
          opened.value = 'palette'
        }}
      >
        Go to… <kbd>Ctrl K</kbd>
      </button>
      <Check checked={isUtc.value} onChange={setUtc} title="Show all times in UTC">
        UTC
      </Check>
      <span class="who">{me.value?.name}</span>
      <button type="button" onClick={() => void signOut().catch(noteTrouble)}>
        Log out
      </button>
    </header>
  )
}

function Menu() {
  return (
    <nav class="menu-main" aria-label="Main">
      {menu().map(({ href, title }) => (
        <MenuLink key={href} href={href} title={title} />
      ))}
    </nav>
  )
}

function MenuLink({ href, title }: { href: string; title: string }) {
  const at = here.value.pathname
  const isHere = at === href || (href !== '/' && at.startsWith(`${href}/`))
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isHere) link.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [isHere])
  return (
    <a ref={link} href={href} {...(isHere ? { 'aria-current': 'page' as const } : {})}>
      {title}
    </a>
  )
}

function Screen() {
  const at = place.value
  useEffect(() => {
    document.title =
      at?.at === 'list' || at?.at === 'record' ? `${resourceOf(at.collection)?.plural} · Trunkline` : 'Trunkline'
  }, [at])
  if (!at || at.at === 'dashboard') return <Dashboard />
  if (!isOffered(at)) return <NotOffered />
  if (at.at === 'list' || at.at === 'record') {
    const named = resourceOf(at.collection)
    const resource = named && seen(named)
    if (resource && at.at === 'list') return <ListScreen key={resource.name} resource={resource} />
    if (!resource || at.at === 'list') return <NotOffered />
    return at.id === 'new' ? (
      <NewScreen key={here.value.href} resource={resource} />
    ) : (
      <RecordScreen key={`${resource.name} ${at.id}`} resource={resource} id={at.id} />
    )
  }
  const Tool = SCREENS[at.at]
  return <Tool />
}

const NotOffered = () => (
  <div class="nothing">
    <p>Your account may not do this. An administrator can change what it may do.</p>
    <a href="/">Go to the dashboard</a>
  </div>
)

function Notes() {
  return (
    <div class="notes" role="status" aria-live="polite">
      {notes.value.map(({ id, text, kind }) => (
        <div key={id} class={`note ${kind}`}>
          {text}
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  )
}
