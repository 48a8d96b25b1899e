/** The columns of a sheet from which a value comes. */
import { columnsOf } from './calculation.js'
import type { ColumnName, From } from './mapping.js'
import { columnsInTemplate } from './template.js'

export function columnsIn(from: From): ColumnName[] {
  if ('constant' in from) return []
  if ('count' in from) return columnsInTemplate(from.count)
  if ('text' in from) return columnsInTemplate(from.text)
  if ('sum' in from) return columnsOf(from.sum)
  if ('calc' in from) return columnsOf(from.calc)
  return ['column' in from ? from.column : from.code]
}
