/** Arranges the pins on lines without holes: each line is filled, whatever the reader may see. */
import type { Pin } from './definition.js'

/** Columns of the grid: every number of pins up to 6 fills a line evenly. */
export const COLUMNS = 60

type Shape = Pick<Pin, 'kind' | 'size'>

/** The least width in pixels. */
const WIDTHS: Readonly<Record<Pin['kind'], Readonly<Record<NonNullable<Pin['size']>, number>>>> = {
  figure: { small: 158, medium: 330, large: 500 },
  list: { small: 250, medium: 380, large: 620 },
  chart: { small: 330, medium: 500, large: 900 },
}
const widthOf = ({ kind, size = 'small' }: Shape): number => WIDTHS[kind][size]

/** Figures are low, lists and charts are high: they do not share a line. */
const isLow = ({ kind }: Shape): boolean => kind === 'figure'

/** The columns that each pin spans, in their order, for a width in pixels. */
export function spans(pins: readonly Shape[], width: number): number[] {
  const found: number[] = []
  for (let at = 0; at < pins.length; ) {
    let end = at + 1
    while (end < pins.length && isLow(pins[end] as Shape) === isLow(pins[at] as Shape)) end++
    found.push(...balanced(pins.slice(at, end), width).flatMap(filled))
    at = end
  }
  return found
}

/** As few lines as fit, all about equally full. */
function balanced(pins: readonly Shape[], width: number): Shape[][] {
  const fewest = lines(pins, width).length
  let [low, high] = [0, width]
  while (high - low > 1) {
    const middle = (low + high) / 2
    if (lines(pins, middle).length > fewest) low = middle
    else high = middle
  }
  return lines(pins, high)
}

function lines(pins: readonly Shape[], width: number): Shape[][] {
  const made: Shape[][] = []
  let left = 0
  for (const pin of pins) {
    const needs = Math.min(widthOf(pin), width)
    if (made.length === 0 || needs > left) {
      made.push([])
      left = width
    }
    made.at(-1)?.push(pin)
    left -= needs
  }
  return made
}

/** The columns of a whole line, by the pins' widths. */
function filled(line: readonly Shape[]): number[] {
  const sum = line.reduce((all, pin) => all + widthOf(pin), 0)
  let [used, given] = [0, 0]
  return line.map((pin) => {
    used += widthOf(pin)
    const span = Math.round((used / sum) * COLUMNS) - given
    given += span
    return span
  })
}

/** The list with one of its members moved to the place of another. */
export function moved<T>(all: readonly T[], one: T, place: number): T[] {
  const others = all.filter((other) => other !== one)
  return [...others.slice(0, place), one, ...others.slice(place)]
}
