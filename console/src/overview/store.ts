/** The overview of the user: fetched from the service, and kept there with every change. */
import { effect, signal } from '@preact/signals'
import { asFailure, type Failure, getJson, send } from '../api.js'
import { session } from '../session.js'
import { fetchViews, savedViews } from '../views/saved.js'
import type { Pin, PinnedView, Start } from './definition.js'
import { pinsOf, startFor } from './starts.js'

interface Overview {
  readonly start: Start | null
  readonly pins: readonly Pin[] | null
}

export const overview = signal<Overview | undefined>(undefined)
/** Why the last change, or the overview itself, did not reach the service. */
export const failure = signal<{ readonly what: 'load' | 'keep'; readonly failure: Failure } | undefined>(undefined)

/** Another user who signs in on this page has another overview. */
let username: string | undefined
effect(() => {
  const now = session.value?.username
  if (now !== username) overview.value = failure.value = undefined
  username = now
})

export async function loadOverview(): Promise<void> {
  try {
    const found = await getJson<Overview>('/v1/overview')
    if (found.pins?.some(({ view }) => view !== undefined)) await fetchViews()
    overview.value = found
    failure.value = undefined
  } catch (error) {
    failure.value = { what: 'load', failure: asFailure(error) }
  }
}

export const startOf = ({ start }: Overview): Start => start ?? startFor()

/** The pins as they are shown: those of the start, until the user changes one. */
export const shownPins = (of: Overview): readonly Pin[] => of.pins ?? pinsOf(startOf(of))

/** The definition of a pin's view; undefined for a saved view that is gone, or no longer shared with the user. */
export function definitionOf({ definition, view }: Pin): PinnedView | undefined {
  if (definition !== undefined) return definition
  const found = savedViews.value?.find(({ id }) => id === view)
  if (found === undefined) return undefined
  const { report, values, period, fields, filter, search, sort, group, measures, having, compare } = found
  return Object.fromEntries(
    Object.entries({ report, values, period, fields, filter, search, sort, group, measures, having, compare }).filter(
      ([, value]) => value !== undefined,
    ),
  ) as unknown as PinnedView
}

/** Changes are kept one after the other; the last one wins. */
let keeping: Promise<unknown> = Promise.resolve()

function keep(next: Overview): Promise<void> {
  overview.value = next
  const kept = keeping.then(async () => {
    try {
      await send('/v1/overview', { method: 'PUT', body: next })
      failure.value = undefined
    } catch (error) {
      failure.value = { what: 'keep', failure: asFailure(error) }
    }
  })
  keeping = kept
  return kept
}

export const keepAgain = (): void => {
  if (overview.value !== undefined) void keep(overview.value)
}

export const keepPins = (pins: readonly Pin[]): Promise<void> =>
  keep({ start: overview.value?.start ?? null, pins: [...pins] })

export const startFrom = (start: Start): Promise<void> => keep({ start, pins: null })
export const restore = (before: Overview): Promise<void> => keep(before)

/** Adds a pin at the end. */
export async function addPin(pin: Pin): Promise<void> {
  if (overview.value === undefined) await loadOverview()
  if (overview.value === undefined) throw failure.value?.failure ?? new Error('no overview')
  await keepPins([...shownPins(overview.value), pin])
}
