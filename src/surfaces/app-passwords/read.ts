/** Reads the body of a request for a new app password. */
import { checkAppPasswordName, checkIds } from '../../access/app-passwords.js'
import type { ReadLimits } from '../../access/readable.js'
import { type FieldError, MillbookError, Problem } from '../../errors.js'

/** The most ids in a list, and the longest id in characters. */
export const [MOST_IDS, LONGEST_ID] = [100, 100]

const FIELDS = ['name', 'views', 'reports']

export function readNew(
  body: Readonly<Record<string, unknown>>,
  known: Record<'views' | 'reports', readonly { readonly id: string }[]>,
): ReadLimits & { readonly name: string } {
  const errors: FieldError[] = []
  const check = (field: string, work: () => void) => {
    try {
      work()
    } catch (error) {
      if (!(error instanceof MillbookError)) throw error
      errors.push({ field, message: error.message })
    }
  }
  const listOf = (field: 'views' | 'reports'): string[] | null => {
    const ids = body[field] ?? null
    if (ids === null || isList(ids)) return ids
    errors.push({
      field,
      message: `must be a list of 1 to ${MOST_IDS} ids, each of 1 to ${LONGEST_ID} characters; leave it out for no limit`,
    })
    return null
  }
  const name = typeof body['name'] === 'string' ? body['name'] : ''
  check('name', () => checkAppPasswordName(name))
  const [views, reports] = [listOf('views'), listOf('reports')]
  check('views', () => checkIds('view', views, known.views))
  check('reports', () => checkIds('report', reports, known.reports))
  for (const field of Object.keys(body))
    if (!FIELDS.includes(field))
      errors.push({ field: field.slice(0, 60), message: `is not a field here; there are ${FIELDS.join(', ')}` })
  if (errors.length > 0) throw new Problem('invalid-parameters', { errors })
  return { name, views, reports }
}

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.length <= MOST_IDS && value.every(isId)

const isId = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && [...value].length <= LONGEST_ID && !value.includes('\0')
