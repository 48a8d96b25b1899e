/** The layout of a table's columns, shared by its header and its rows. */
import type { Flat } from '../catalogue.js'
import type { Widths } from './widths.js'

export interface Look extends Widths {
  readonly shown: readonly Flat[]
  cellClass(flat: Flat, at: number): string
  sticky(at: number): Record<string, string>
  /** Fraction digits for which the column has room. */
  digits(flat: Flat): number
  /** On a narrow screen, a row is a card. */
  readonly isCard: boolean
}
