/** The rule that every line of a document names an item or has a description. */
import { sql } from '../db/sql.js'
import type { Rule } from './entity.js'

export const textOrItem: Rule = {
  column: 'sku',
  holds: sql`s.sku is not null or s.description <> ''`,
  expects: 'the code of an item, or a description instead',
}
