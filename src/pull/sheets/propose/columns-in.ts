/** The columns of a sheet that the rules of a mapping's object name. */
import type { FromObject } from './proposal.js'

const inBraces = (text: string): string[] =>
  [...text.matchAll(/\{([^{}|]+)(?:\|[^{}]*)?\}/g)].map(([, name = '']) => name.trim())

export const columnsOfFrom = (from: FromObject): string[] => {
  if (typeof from === 'string') return [from]
  const { column, code, count, text, sum, calc } = from
  const given = [column, code].flatMap((one) => one ?? [])
  const calculated = [count, sum].flatMap((one) => (one === undefined ? [] : one.includes('{') ? inBraces(one) : [one]))
  return [...given, ...calculated, ...[text, calc].flatMap((one) => (one === undefined ? [] : inBraces(one)))]
}

export const mappedColumns = (columns: Readonly<Record<string, FromObject>>): Set<string> =>
  new Set(Object.values(columns).flatMap(columnsOfFrom))
