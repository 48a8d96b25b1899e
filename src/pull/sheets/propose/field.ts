/** A column of a table that was found in sheets. */
import type { ColumnName } from '../mapping.js'
import type { ColumnEvidence } from './evidence.js'
import type { Concept } from './words.js'

export interface Field {
  readonly place: number
  readonly letter: string
  readonly heading: string
  /** By which a mapping names it without doubt. */
  readonly name: ColumnName
  /** Its meaning, if no column before it has the same. */
  readonly concept: Concept | undefined
  readonly meaning: Concept | undefined
  /** The unit in its heading. */
  readonly unit: string | undefined
  /** The currency in its heading. */
  readonly currency: string | undefined
  /** The word in its heading that makes its numbers larger: lakhs. */
  readonly scale: string | undefined
  readonly evidence: ColumnEvidence
  /** In rows that go on with the document above: cells that are empty, equal to the one above, or different. */
  continued: { empty: number; same: number; other: number }
  /** Empty cells that are merged with a cell above that has a value: in rows that go on with the document, and in others. */
  merged: { within: number; apart: number }
}
