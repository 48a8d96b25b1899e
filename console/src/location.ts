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

export interface Going {
  /** For a change that the back button should skip. */
  readonly replace?: boolean
  /** Marks the new entry as opened over the previous one, to which `goBack` returns. */
  readonly over?: boolean
}

export function go(url: string, { replace = false, over = false }: Going = {}): void {
  if (url === location.pathname + location.search) return
  history[replace ? 'replaceState' : 'pushState'](over ? OVER : null, '', url)
  place.value = here()
}

const OVER = { over: true }

export const isOver = (): boolean => (history.state as typeof OVER | null)?.over === true

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
  go(link.pathname + link.search)
}

const isOwn = (path: string): boolean =>
  path === '/' || path === '/account' || /^\/(reports|operate)\//.test(path) || thingAt(path) !== undefined
