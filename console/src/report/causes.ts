/** Finds the loads that changed the records of a request, by halving the versions between two states of it. */

/** What a load changed. */
export interface Cause<T> {
  /** The version before; more than one below `version` if the versions between them are not kept. */
  readonly after: number
  readonly version: number
  readonly found: readonly T[]
}

/** The differences of a request between two versions; undefined if one of them is no longer kept. */
export type Differ<T> = (from: number, to: number) => Promise<readonly T[] | undefined>

/** The newest load first. `found` has the differences between both versions. */
export async function* causes<T>(
  differ: Differ<T>,
  from: number,
  to: number,
  found: readonly T[],
): AsyncGenerator<Cause<T>, void> {
  if (found.length === 0) return
  let middle = Math.floor((from + to) / 2)
  let later = middle === from ? undefined : await differ(middle, to)
  // Versions are forgotten from the oldest on: a later one may be kept.
  while (later === undefined && middle > from && middle < to - 1) {
    middle = Math.ceil((middle + to) / 2)
    later = await differ(middle, to)
  }
  if (later === undefined) {
    yield { after: from, version: to, found }
    return
  }
  // Where the later half has no difference, the earlier half has them all.
  const earlier = later.length === 0 ? found : await differ(from, middle)
  yield* causes(differ, middle, to, later)
  yield* causes(differ, from, middle, earlier ?? [])
}
