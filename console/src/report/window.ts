/** Which rows of a long list are in view. All rows have the same height; unfolded rows have more below them. */

/** Browsers limit the height of an element; beyond this height, the scroll bar represents a longer list. */
const TALLEST = 12_000_000

export interface Window {
  /** Height of the scrolled element. */
  readonly height: number
  readonly first: number
  readonly last: number
  /** Pixels from the top of the scrolled element to the top of a row. */
  top(row: number): number
}

export interface Layout {
  readonly count: number
  readonly rowHeight: number
  /** Extra pixels below unfolded rows. */
  readonly unfolded: ReadonlyMap<number, number>
}

const OVERSCAN = 8

const extraBefore = ({ unfolded }: Layout, row: number): number => {
  let sum = 0
  for (const [at, height] of unfolded) if (at < row) sum += height
  return sum
}

const topOf = (layout: Layout, row: number): number => row * layout.rowHeight + extraBefore(layout, row)

const fullHeight = (layout: Layout): number => topOf(layout, layout.count)

function rowAt(layout: Layout, offset: number): number {
  let [low, high] = [0, Math.max(0, layout.count - 1)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (topOf(layout, middle) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

export function windowOf(layout: Layout, scrolled: number, view: number): Window {
  const full = fullHeight(layout)
  const height = Math.min(full, TALLEST)
  // If the list is taller than the element, the scrolled share gives the position in the list.
  const offset = full <= TALLEST ? scrolled : (scrolled / Math.max(1, height - view)) * (full - view)
  const shift = scrolled - offset
  return {
    height,
    first: Math.max(0, rowAt(layout, offset) - OVERSCAN),
    last: Math.min(layout.count - 1, rowAt(layout, offset + view) + OVERSCAN),
    top: (row) => topOf(layout, row) + shift,
  }
}

/** The scroll position that brings a row into view; undefined if it is in view. */
export function scrollTo(layout: Layout, row: number, scrolled: number, view: number): number | undefined {
  const full = fullHeight(layout)
  const scale = full <= TALLEST ? 1 : (full - view) / (TALLEST - view)
  const [top, bottom] = [topOf(layout, row), topOf(layout, row) + layout.rowHeight]
  const offset = scrolled * scale
  if (top < offset) return top / scale
  return bottom > offset + view ? (bottom - view) / scale : undefined
}
