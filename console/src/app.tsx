/** The frame around every page: the rail, the bar, and dialogs and notes over the page. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { asFailure, type Failure, waiting } from './api.js'
import { type CatalogueReport, catalogue, loadCatalogue, reportOf } from './catalogue.js'
import { CLOSED } from './closed/report.js'
import { companyName } from './company.js'
import { DATA, GROUPS, OPERATE } from './labels.js'
import { follow, place } from './location.js'
import { OperatePage } from './operate/page.js'
import { COVER } from './ordering/reports.js'
import { PinHost } from './overview/host.js'
import { OverviewPage } from './overview/page.js'
import { copied } from './parts/copy.js'
import { Icon } from './parts/icons.js'
import { lazy } from './parts/lazy.js'
import { Menu } from './parts/menu.js'
import { groupIcon, Palette } from './parts/palette.js'
import { Failed, Nothing } from './parts/states.js'
import { compact, grouping, railClosed, type Theme, theme } from './preferences.js'
import { TRACE } from './recall/start.js'
import { ReportPage } from './report/page.js'
import { ended, offline, session, signOut } from './session.js'
import { SignInAgain, SignInPage } from './sign-in.js'
import { decoded, thingAt } from './things/paths.js'
import { ViewPage } from './views/page.js'
import { loadViews, savedViews, viewUrl } from './views/saved.js'

const ThingPage = lazy(async () => (await import('./things/page.js')).ThingPage)
const RecallPage = lazy(async () => (await import('./recall/page.js')).RecallPage)
const OrderingPage = lazy(async () => (await import('./ordering/page.js')).OrderingPage)
const LoadPage = lazy(async () => (await import('./load/page.js')).LoadPage)
const ClosedPage = lazy(async () => (await import('./closed/page.js')).ClosedPage)
const AccountPage = lazy(async () => (await import('./account/page.js')).AccountPage)

export function App({ note }: { note: string | undefined }): JSX.Element {
  const who = session.value
  const failure = useSignal<Failure | undefined>(undefined)
  const load = () => {
    failure.value = undefined
    loadCatalogue().catch((error) => {
      failure.value = asFailure(error)
    })
  }
  useEffect(() => {
    if (who) load()
    else catalogue.value = undefined
  }, [who?.username])
  if (who === undefined) return <div class="frame" aria-busy="true" />
  if (who === null) return <SignInPage note={note} />
  if (failure.value !== undefined) return <Failed title="Millbook" failure={failure.value} again={load} />
  if (catalogue.value === undefined) return <div class="frame" aria-busy="true" />
  return <Frame />
}

function Frame(): JSX.Element {
  const palette = useSignal(false)
  const drawer = useSignal(false)
  useEffect(() => void loadViews(), [])
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      const typing = (event.target as Element | null)?.closest?.('input,select,textarea,dialog')
      if (event.key === 'Escape' && drawer.peek() && !event.defaultPrevented) drawer.value = false
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        if (!ended.peek()) palette.value = !palette.value
      } else if (event.key === '/' && !typing) {
        const search = document.querySelector<HTMLInputElement>('#search-rows')
        if (search) {
          event.preventDefault()
          search.focus()
        }
      }
    }
    addEventListener('keydown', keys)
    return () => removeEventListener('keydown', keys)
  }, [palette])
  // The focus moves into the drawer, and back to its button when it closes.
  const wasOpen = useRef(false)
  useEffect(() => {
    if (drawer.value) document.querySelector<HTMLElement>('.rail a, .rail button')?.focus()
    else if (wasOpen.current) document.querySelector<HTMLElement>('#menu')?.focus()
    wasOpen.current = drawer.value
  }, [drawer.value])
  useEffect(() => {
    drawer.value = false
    document.title = titleOf()
  }, [place.value.path])
  return (
    <div class={`frame${railClosed.value ? ' closed' : ''}${drawer.value ? ' drawer' : ''}`} onClick={follow}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Rail
        onPalette={() => {
          palette.value = true
        }}
        onDrawer={() => {
          drawer.value = !drawer.value
        }}
      />
      <header class="top">
        <button
          type="button"
          class="mini"
          id="menu"
          aria-label="Menu"
          aria-expanded={drawer.value}
          onClick={() => {
            drawer.value = !drawer.value
          }}
        >
          <Icon name="menu" />
        </button>
        <strong class="clip">
          <bdi>{companyName.value ?? 'Millbook'}</bdi>
        </strong>
        <button
          type="button"
          class="mini"
          aria-label="Search"
          aria-haspopup="dialog"
          onClick={() => {
            palette.value = true
          }}
        >
          <Icon name="search" />
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
      <div class="notes" role="status">
        {waiting.value !== undefined && <p class="note">Too many requests: going on in {waiting.value} s.</p>}
        {copied.value !== undefined && <p class="note">{copied.value}</p>}
        {offline.value && <p class="note bad">The service cannot be reached. This page shows the data from before.</p>}
      </div>
      {palette.value && (
        <Palette
          onClose={() => {
            palette.value = false
          }}
        />
      )}
      <PinHost />
      <SignInAgain />
    </div>
  )
}

function Page(): JSX.Element {
  const { path } = place.value
  if (path === '/') return <OverviewPage />
  const [, kind, name = ''] = path.split('/')
  if (kind === 'reports') {
    const report = reportOf(decoded(name))
    if (report !== undefined) return <ReportPage key={report.id} report={report} />
    return (
      <Nothing title="No such report">
        <p>There is no report {decoded(name)} for you. Your operator can give you access to its group.</p>
        <a class="button" href="/">
          Overview
        </a>
      </Nothing>
    )
  }
  if (kind === 'views') return <ViewPage key={name} id={decoded(name)} />
  if (kind === 'loads') return <LoadPage name={decoded(name)} />
  if (kind === 'operate') return <OperatePage key={name} name={name} />
  if (thingAt(path) !== undefined) return <ThingPage />
  if (path === '/recall') return <RecallPage />
  if (path === '/ordering') return <OrderingPage />
  if (path === '/closed-periods') return <ClosedPage />
  if (path === '/account') return <AccountPage />
  return (
    <Nothing title="No such page">
      <p>There is no page at {path}. Choose one in the menu, or search with Ctrl K.</p>
      <a class="button" href="/">
        Overview
      </a>
    </Nothing>
  )
}

function titleOf(): string {
  const [, kind, name = ''] = place.value.path.split('/')
  const view = savedViews.peek()?.find(({ id }) => id === decoded(name))
  const page =
    kind === 'reports'
      ? reportOf(decoded(name))?.title
      : kind === 'views'
        ? (view?.name ?? 'View')
        : kind === 'operate'
          ? (OPERATE[name] ?? DATA[name])
          : kind === 'loads'
            ? `Load ${decoded(name)}`
            : {
                '': 'Overview',
                recall: 'Recall',
                ordering: 'What to order',
                'closed-periods': 'Closed periods',
                account: 'Your account',
              }[kind ?? '']
  return page === undefined ? 'Millbook' : `${page} · Millbook`
}

/** A report about one document is opened from that document. */
const asksForOne = ({ params }: CatalogueReport): boolean =>
  params.some(({ required, type }) => required && type.kind === 'text')

function Rail({ onPalette, onDrawer }: { onPalette: () => void; onDrawer: () => void }): JSX.Element {
  const { path } = place.value
  const who = session.value
  const link = (href: string, text: string, icon?: Parameters<typeof Icon>[0]['name']) => (
    <a key={href} href={href} aria-current={path === href ? 'page' : undefined} title={text}>
      {icon && <Icon name={icon} />}
      <span>{text}</span>
    </a>
  )
  return (
    <>
      <nav class="rail" aria-label="Reports">
        <div class="brand">
          <a href="/" title="Overview">
            <img src="/icon.svg" alt="" width="20" height="20" />
            <span>
              Millbook
              {companyName.value !== undefined && <bdi class="company">{companyName.value}</bdi>}
            </span>
          </a>
          <button
            type="button"
            class="mini"
            aria-label={railClosed.value ? 'Widen the rail' : 'Narrow the rail'}
            aria-expanded={!railClosed.value}
            onClick={() => {
              railClosed.value = !railClosed.value
            }}
          >
            <Icon name={railClosed.value ? 'right' : 'left'} />
          </button>
        </div>
        <button type="button" class="go" aria-haspopup="dialog" onClick={onPalette} title="Search: Control K">
          <Icon name="search" />
          <span>Search</span>
          <kbd>Ctrl K</kbd>
        </button>
        <div class="links">
          {link('/', 'Overview', 'overview')}
          <ViewLinks path={path} onMore={onPalette} />
          {GROUPS.map(([group, title]) => {
            const reports = (catalogue.value?.data ?? []).filter(
              (report) => report.group === group && ![TRACE, CLOSED].includes(report.id) && !asksForOne(report),
            )
            const hasClosed = group === 'history' && reportOf(CLOSED) !== undefined
            if (reports.length === 0 && !hasClosed) return null
            return (
              <section key={group} aria-label={title}>
                <h2>
                  <Icon name={groupIcon(group)} />
                  <span>{title}</span>
                </h2>
                {group === 'insight' && reportOf(TRACE) !== undefined && link('/recall', 'Recall')}
                {group === 'insight' && reportOf(COVER) !== undefined && link('/ordering', 'What to order')}
                {hasClosed && link('/closed-periods', 'Closed periods')}
                {reports.map(({ id, title }) => link(`/reports/${id}`, title))}
              </section>
            )
          })}
          {(who?.role === 'operator' || who?.role === 'loader') && (
            <section aria-label="Data">
              <h2>
                <Icon name="export" />
                <span>Data</span>
              </h2>
              {Object.entries(DATA).map(([name, title]) => link(`/operate/${name}`, title))}
            </section>
          )}
          {who?.role === 'operator' && (
            <section aria-label="Operate">
              <h2>
                <Icon name="operate" />
                <span>Operate</span>
              </h2>
              {Object.entries(OPERATE).map(([name, title]) => link(`/operate/${name}`, title))}
            </section>
          )}
        </div>
        <div class="foot">
          <Menu
            wordless
            class="who"
            label={
              <>
                <Icon name="user" />
                <span>{who?.username}</span>
              </>
            }
            title={`${who?.username}: settings`}
          >
            {(close) => (
              <div class="items settings">
                <Choice
                  label="Theme"
                  value={theme.value}
                  options={[
                    ['system', 'System'],
                    ['light', 'Light'],
                    ['dark', 'Dark'],
                  ]}
                  onChange={(next) => {
                    theme.value = next as Theme
                  }}
                />
                <Choice
                  label="Digits"
                  value={grouping.value}
                  options={[
                    ['indian', '12,34,567'],
                    ['international', '1,234,567'],
                  ]}
                  onChange={(next) => {
                    grouping.value = next as 'indian'
                  }}
                />
                <Choice
                  label="Rows"
                  value={compact.value ? 'compact' : 'normal'}
                  options={[
                    ['normal', 'Normal'],
                    ['compact', 'Compact'],
                  ]}
                  onChange={(next) => {
                    compact.value = next === 'compact'
                  }}
                />
                <a class="item" href="/account" onClick={close}>
                  Your account
                </a>
                <a class="item" href="/docs">
                  API reference
                </a>
                <button type="button" class="item" onClick={() => void signOut()}>
                  Sign out
                </button>
              </div>
            )}
          </Menu>
        </div>
      </nav>
      <button type="button" class="scrim" aria-label="Close the menu" onClick={onDrawer} />
    </>
  )
}

/** More views than this are in the palette. */
const MOST_VIEWS = 15

function ViewLinks({ path, onMore }: { path: string; onMore: () => void }): JSX.Element | null {
  const views = savedViews.value ?? []
  if (views.length === 0) return null
  const inOrder = [...views.filter(({ mine }) => mine), ...views.filter(({ mine }) => !mine)]
  const more = inOrder.length - MOST_VIEWS
  return (
    <section aria-label="Views">
      <h2>
        <Icon name="save" />
        <span>Views</span>
      </h2>
      {inOrder.slice(0, MOST_VIEWS).map(({ id, name, owner, mine }) => (
        <a
          key={id}
          href={viewUrl(id)}
          aria-current={path === viewUrl(id) ? 'page' : undefined}
          title={mine ? name : `${name}, by ${owner}`}
        >
          <span>{name}</span>
        </a>
      ))}
      {more > 0 && (
        <button type="button" class="more" onClick={onMore}>
          {more} more: search
        </button>
      )}
    </section>
  )
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: string
  options: readonly (readonly [string, string])[]
  onChange: (value: string) => void
}): JSX.Element {
  return (
    <fieldset class="segments">
      <legend>{label}</legend>
      {options.map(([name, text]) => (
        <label key={name}>
          <input type="radio" name={label} checked={name === value} onChange={() => onChange(name)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}
