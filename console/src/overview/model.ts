/** What the overview shows; its values arrive one after the other. */
import { type Signal, signal } from '@preact/signals'
import type { Failure } from '../api.js'
import type { Point, Series } from '../parts/charts.js'

export interface Tile {
  readonly title: string
  readonly href: string
  /** Reports that it needs: without the right to one of them it is not shown. */
  readonly needs: readonly string[]
  readonly unit?: '%'
  /** Exact; undefined while it is being fetched. */
  readonly value: Signal<string | undefined>
  /** The earlier value that it is compared with. */
  readonly before: Signal<{ readonly label: string; readonly value: string } | undefined>
  /** In place of a comparison. */
  readonly note: Signal<string | undefined>
  readonly trend: Signal<readonly Point[]>
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
  readonly needs: readonly string[]
  readonly lines: Signal<readonly Line[] | undefined>
  readonly total: Signal<number>
  readonly href: Signal<string>
}

export interface Overview {
  readonly tiles: readonly Tile[]
  readonly stock: Signal<readonly Series[]>
  readonly sales: Signal<readonly Series[]>
  readonly ages: Signal<readonly { label: string; value: string; href: string }[] | undefined>
  readonly lists: readonly List[]
  readonly failure: Signal<Failure | undefined>
  stop(): void
}

export const list = (title: string, none: string, needs: readonly string[]): List => ({
  ...{ title, none, needs },
  lines: signal(undefined),
  total: signal(0),
  href: signal('/'),
})
