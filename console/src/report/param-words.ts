/** The values of parameters as people read them. */
import type { CatalogueParam } from '../catalogue.js'
import { inWords } from '../dates.js'
import { isolated } from '../people.js'

export function paramInWords(param: CatalogueParam, value: string | undefined): string {
  const { type, default: byDefault, left_out: leftOut = 'all' } = param
  if (value === undefined && byDefault === 'today' && type.kind === 'date') return 'today'
  if (value === undefined) return byDefault === undefined ? leftOut : paramInWords(param, String(byDefault))
  if (value === '') return 'none'
  if (type.kind === 'date') return inWords(value)
  const words = type.kind === 'word' || type.kind === 'zero-or-one' ? type.inWords?.[value] : undefined
  return words ?? isolated(value)
}
