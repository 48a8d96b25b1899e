/** The values of parameters as people read them. */
import type { CatalogueParam } from '../catalogue.js'
import { inWords } from '../dates.js'
import { isolated } from '../people.js'

export function paramInWords({ type }: CatalogueParam, value: string | undefined): string {
  if (value === undefined) return 'all'
  if (value === '') return 'none'
  if (type.kind === 'date') return inWords(value)
  const words = type.kind === 'word' || type.kind === 'zero-or-one' ? type.inWords?.[value] : undefined
  return words ?? isolated(value)
}
