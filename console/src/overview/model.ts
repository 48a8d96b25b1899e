/** The parts of the overview; their values arrive one after the other. */
import { type Signal, signal } from '@preact/signals'
import type { Failure } from '../api.js'
import type { Bar, Point, Series } from '../parts/charts.js'
import type { Days } from './source.js'

export interface Tile {
  readonly title: string
  readonly href: string
  readonly unit?: '%'
  /** Exact; undefined while it is being fetched. */
  readonly value: Signal<string | undefined>
  /** The earlier value to compare with. */
  readonly before: Signal<{ readonly label: string; readonly value: string } | undefined>
  /** Shown in place of a comparison. */
  readonly note: Signal<string | undefined>
  readonly trend: Signal<readonly Point[]>
}

export type Chart =
  | { readonly kind: 'line' | 'column'; readonly title: string; readonly series: Signal<readonly Series[]> }
  | {
      readonly kind: 'bars'
      readonly title: string
      readonly name: string
      readonly bars: Signal<readonly Bar[] | undefined>
    }

export interface Line {
  readonly label: string
  readonly detail: string
  readonly amount: string
  readonly unit: string
}

export interface List {
  readonly title: string
  readonly none: string
  readonly lines: Signal<readonly Line[] | undefined>
  readonly total: Signal<number>
  readonly href: Signal<string>
}

/** A part of the overview, and how to fetch it. */
export interface Figure {
  /** Reports that the figure needs; it is hidden from users who may not use all of them. */
  readonly needs: readonly string[]
  readonly tiles?: readonly Tile[]
  readonly chart?: Chart
  readonly list?: List
  load(): Promise<void>
  /** The point of a month in the trend; fetched after all figures have arrived. */
  loadMonth?(month: Days, at: number): Promise<void>
}

export interface Overview {
  readonly tiles: readonly Tile[]
  readonly charts: readonly Chart[]
  readonly lists: readonly List[]
  readonly failure: Signal<Failure | undefined>
  stop(): void
}

/** Lines of a list. */
export const SHOWN = 5

export const tile = (about: Pick<Tile, 'title' | 'href' | 'unit'>, trend: readonly Point[]): Tile => ({
  ...about,
  value: signal(undefined),
  before: signal(undefined),
  note: signal(undefined),
  trend: signal(trend),
})

export const list = (title: string, none: string): List => ({
  ...{ title, none },
  lines: signal(undefined),
  total: signal(0),
  href: signal('/'),
})

const withPoint = (points: readonly Point[], at: number, value: string, href?: string): Point[] =>
  points.map((point, i) => (i === at ? { ...point, value, href } : point))

export function putPoint(points: Signal<readonly Point[]>, at: number, value: string, href?: string): void {
  points.value = withPoint(points.value, at, value, href)
}

export function putInSeries(
  series: Signal<readonly Series[]>,
  which: number,
  at: number,
  value: string,
  href: string,
): void {
  series.value = series.value.map((one, i) =>
    i === which ? { ...one, points: withPoint(one.points, at, value, href) } : one,
  )
}
