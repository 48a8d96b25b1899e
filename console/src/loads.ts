/** The loads whose version of the data is kept, as far as this page has asked for them. */
import { signal } from '@preact/signals'
import { getJson } from './api.js'
import { loadedAt } from './session.js'

export interface KeptLoad {
  readonly version: number
  readonly loaded_at: string
  /** Null for readers of some groups only, and if nothing notes them. */
  readonly actor: string | null
  readonly source: readonly string[] | null
  /** The periods that were closed with it. */
  readonly periods: readonly string[]
}

const known = signal<ReadonlyMap<number, KeptLoad>>(new Map())
const asked = new Set<number>()

/** The newest loads before a version, newest first, and whether there are older ones. */
export async function fetchLoads(before?: number, limit?: number): Promise<{ loads: KeptLoad[]; more: boolean }> {
  const query = new URLSearchParams()
  if (before !== undefined) query.set('before', String(before))
  if (limit !== undefined) query.set('limit', String(limit))
  const found = await getJson<{ loads: KeptLoad[]; more: boolean }>(`/session/loads?${query}`)
  known.value = new Map([...known.value, ...found.loads.map((load): [number, KeptLoad] => [load.version, load])])
  for (const { version, loaded_at } of found.loads) loadedAt.set(version, loaded_at)
  return found
}

/** `items.csv, vendors.csv`, `items.csv and 25 more` */
export const filesInWords = (source: readonly string[]): string =>
  source.length > 2 ? `${source[0]} and ${source.length - 1} more` : source.join(', ')

/** Asks for the load the first time; undefined until it is known. */
export function loadOf(version: number | undefined): KeptLoad | undefined {
  if (version === undefined) return undefined
  if (!asked.has(version)) {
    asked.add(version)
    // A page without it says less; the next page asks again.
    queueMicrotask(() => void fetchLoads(version + 1, 1).catch(() => asked.delete(version)))
  }
  return known.value.get(version)
}
