/** The URL is the state of the view: the page shows the URL, and every change of the view writes the URL. */
import { signal } from '@preact/signals'
import { thingAt } from './things/paths.js'

export interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

const here = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) })

export const place = signal<Place>(here())

addEventListener('popstate', () => {
  place.value = here()
})

/** The state of an entry of the history. */
interface Entry {
  readonly id: string
  /** Opened over the previous entry. */
  readonly over?: true
}

const entry = (): Partial<Entry> => (history.state as Partial<Entry> | null) ?? {}
const newId = (): string => crypto.getRandomValues(new Uint32Array(2)).join('-')
// A page that is loaded again keeps its entry; any other page begins a new one.
if (entry().id === undefined) history.replaceState({ id: newId() } satisfies Entry, '')

/** Where parts of a page were scrolled to, by the entry of the history and the part; kept until the tab is closed. */
const SCROLLED = 'millbook.scrolled'
const MOST_SCROLLED = 200
const scrolled = new Map<string, number>(readScrolled())
addEventListener('pagehide', () => {
  try {
    sessionStorage.setItem(SCROLLED, JSON.stringify([...scrolled].slice(-MOST_SCROLLED)))
  } catch {} // the position is then lost when the page is loaded again
})

function readScrolled(): [string, number][] {
  try {
    return JSON.parse(sessionStorage.getItem(SCROLLED) ?? '[]') as [string, number][]
  } catch {
    return []
  }
}

export const keepScroll = (part: string, top: number): void => {
  scrolled.set(`${entry().id ?? ''} ${part}`, top)
}

/** Where the part was scrolled to when this entry was left; undefined for a new entry. */
export const keptScroll = (part: string): number | undefined => scrolled.get(`${entry().id ?? ''} ${part}`)

/** Follows the scroll position of the page: Back and Forward return to it, a new page begins at its top. */
export function followScroll(find: () => HTMLElement | null): void {
  let restoring = false
  const stop = () => {
    restoring = false
  }
  for (const event of ['wheel', 'pointerdown', 'keydown'])
    addEventListener(event, stop, { capture: true, passive: true })
  document.addEventListener(
    'scroll',
    ({ target }) => {
      if (target === find() && !restoring) keepScroll('page', (target as HTMLElement).scrollTop)
    },
    { capture: true, passive: true },
  )
  let path = location.pathname
  const restore = (top: number, until: number) => {
    const element = find()
    if (!restoring) return
    element?.scrollTo({ top })
    // The page may still be fetching the rows above this position.
    const isThere = element !== null && Math.abs(element.scrollTop - top) < 2
    if (isThere || performance.now() > until) restoring = false
    else requestAnimationFrame(() => restore(top, until))
  }
  place.subscribe((now) => {
    if (now.path === path) return
    path = now.path
    restoring = true
    const top = keptScroll('page') ?? 0
    requestAnimationFrame(() => restore(top, performance.now() + RESTORING_MS))
  })
}

/** How long a page may take to become as high as it was. */
const RESTORING_MS = 5000

export interface Going {
  /** For a change that the back button should skip. */
  readonly replace?: boolean
  /** Marks the entry as opened over the previous one, to which `goBack` returns; a replaced entry keeps its mark. */
  readonly over?: boolean
}

export function go(url: string, { replace = false, over = replace && isOver() }: Going = {}): void {
  if (url === location.pathname + location.search) return
  const id = (replace ? entry().id : undefined) ?? newId()
  const state: Entry = { id, ...(over && { over }) }
  if (replace) history.replaceState(state, '', url)
  else history.pushState(state, '', url)
  place.value = here()
}

export const isOver = (): boolean => entry().over === true

export const goBack = (): void => history.back()

/** Changes some parameters of the query string; undefined or an empty list removes one. */
export function setQuery(
  changes: Readonly<Record<string, string | readonly string[] | undefined>>,
  options?: Going,
): void {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name)
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) query.append(name, one)
  }
  go(urlOf(location.pathname, query), options)
}

export function urlOf(path: string, query: URLSearchParams): string {
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** For links: a plain click stays in this page; the browser handles any other click. */
export function follow(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest?.('a')
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  if (link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return
  if (!isOwn(link.pathname)) return
  event.preventDefault()
  // The link that skips the rail leads to a part of this page.
  if (link.hash !== '') document.querySelector<HTMLElement>(link.hash)?.focus()
  else go(link.pathname + link.search)
}

const isOwn = (path: string): boolean =>
  ['/', '/account', '/recall', '/ordering', '/closed-periods'].includes(path) ||
  /^\/(reports|views|operate|loads)\//.test(path) ||
  thingAt(path) !== undefined
