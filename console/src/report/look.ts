/** The columns of a table as its head and its rows draw them. */
import type { Flat } from '../catalogue.js'
import type { Widths } from './widths.js'

export interface Look extends Widths {
  readonly shown: readonly Flat[]
  cellClass(flat: Flat, at: number): string
  sticky(at: number): Record<string, string>
}
