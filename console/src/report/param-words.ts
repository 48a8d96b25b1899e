/** The values of parameters as people read them. */
import type { CatalogueParam } from '../catalogue.js'
import { inWords } from '../dates.js'
import { isolated } from '../people.js'

/** The words of the declaration for a value: "values without tax" from "`0` for values without tax". */
export const wordsFor = ({ description }: CatalogueParam, value: string): string | undefined => {
  const found = new RegExp(`\`${value.replace(/[^\w]/g, '\\$&')}\` (?:for )?([^,;.]+)`).exec(description)
  return found?.[1]
}

export function paramInWords(param: CatalogueParam, value: string | undefined): string {
  if (value === undefined) return 'all'
  if (value === '') return 'none'
  if (param.type.kind === 'date') return inWords(value)
  if (param.type.kind === 'word') return param.type.inWords?.[value] ?? value
  if (param.type.kind !== 'zero-or-one') return isolated(value)
  return wordsFor(param, value) ?? (value === '1' ? 'yes' : 'no')
}
