/** An object of a record in words, for cells that people read: the values of a key, or fields with what they were and are. */

type Difference = { readonly before: string | null; readonly after: string | null }

const isDifference = (value: unknown): value is Difference => typeof value === 'object' && value !== null

const shown = (value: string | null): string => value ?? '–'

export function objectWords(object: Readonly<Record<string, unknown>>): string {
  const differences = Object.entries(object).filter((entry): entry is [string, Difference] => isDifference(entry[1]))
  if (differences.length === 0) return Object.values(object).join(', ')
  const sides = (['before', 'after'] as const).filter((side) => differences.some(([, value]) => value[side] !== null))
  return differences
    .filter(([, { before, after }]) => before !== null || after !== null)
    .map(([name, value]) => `${name}: ${sides.map((side) => shown(value[side])).join(' → ')}`)
    .join('; ')
}
