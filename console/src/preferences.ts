/** Preferences in the browser's storage: theme, digit grouping, density, the rail, and the columns of each report. */
import { computed, effect, type Signal, signal } from '@preact/signals'
import type { Grouping } from './numbers.js'

const PREFIX = 'millbook.'

function read<T>(name: string, initial: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name)
    return text === null ? initial : (JSON.parse(text) as T)
  } catch {
    return initial // storage is off, or has an invalid value
  }
}

function write(name: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value))
  } catch {} // the value then lasts until the page is closed
}

function remembered<T>(name: string, initial: T): Signal<T> {
  const found = signal(read(name, initial))
  effect(() => write(name, found.value))
  return found
}

export type Theme = 'system' | 'light' | 'dark'

export const theme = remembered<Theme>('theme', 'system')
export const grouping = remembered<Grouping>('grouping', 'indian')
export const compact = remembered('compact', false)
export const railClosed = remembered('rail-closed', false)

const systemDark = matchMedia('(prefers-color-scheme: dark)')
const systemIsDark = signal(systemDark.matches)
systemDark.addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches
})

export const isDark = computed(() => (theme.value === 'system' ? systemIsDark.value : theme.value === 'dark'))

effect(() => {
  document.documentElement.dataset.theme = isDark.value ? 'dark' : 'light'
})
effect(() => {
  document.documentElement.dataset.density = compact.value ? 'compact' : 'normal'
})

/** The columns of a report as the user arranged them. */
export interface Arrangement {
  /** The shown columns in their order; the declared ones without it. */
  readonly fields?: readonly string[]
  /** The first column without it. */
  readonly pinned?: readonly string[]
  readonly widths: Readonly<Record<string, number>>
}

const arrangements = new Map<string, Signal<Arrangement | undefined>>()

/** Undefined until the user has arranged them. */
export function arrangementOf(report: string): Signal<Arrangement | undefined> {
  let found = arrangements.get(report)
  if (found === undefined) {
    found = remembered<Arrangement | undefined>(`columns.${report}`, undefined)
    arrangements.set(report, found)
  }
  return found
}
