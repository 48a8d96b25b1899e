/**
 * Many texts as one: parts that all have, and parts that the choice of a parameter decides. The statements of a function differ in a
 * few places, and each place in the choices of one parameter, so that all together are hardly longer than one.
 */

/** A part that stands in each text, or one that the choice of a parameter decides. */
export type Piece = string | { readonly param: string; readonly texts: ReadonlyMap<string, string> }

/** Another text for the tokens from `start` to before `end`. */
interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

const tokensOf = (text: string): string[] => text.match(/\w+|\W/gu) ?? []

/** The changes that make one list of tokens into another (Myers, "An O(ND) difference algorithm and its variations", 1986). */
function changesBetween(base: readonly string[], other: readonly string[]): Change[] {
  let first = 0
  while (first < base.length && first < other.length && base[first] === other[first]) first++
  let [end, otherEnd] = [base.length, other.length]
  while (end > first && otherEnd > first && base[end - 1] === other[otherEnd - 1]) {
    end--
    otherEnd--
  }
  const kept = keptTokens(base.slice(first, end), other.slice(first, otherEnd))
  const changes: Change[] = []
  let [at, otherAt] = [first, first]
  for (const [i, j] of [...kept.map(([i, j]) => [first + i, first + j] as const), [end, otherEnd] as const]) {
    if (i > at || j > otherAt) changes.push({ start: at, end: i, text: other.slice(otherAt, j).join('') })
    at = i + 1
    otherAt = j + 1
  }
  return changes
}

/** Lists that differ in more tokens have nothing in common. */
const MOST_CHANGES = 2000

/** The places of tokens that both lists have in the same order, as many as there can be. */
function keptTokens(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  const most = a.length + b.length
  const offset = most + 1
  const ends = new Int32Array(2 * most + 3)
  const trace: Int32Array[] = []
  for (let d = 0; d <= Math.min(most, MOST_CHANGES); d++) {
    trace.push(ends.slice())
    for (let k = -d; k <= d; k += 2) {
      const [below, above] = [ends[offset + k - 1] as number, ends[offset + k + 1] as number]
      let x = k === -d || (k !== d && below < above) ? above : below + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      ends[offset + k] = x
      if (x < a.length || x - k < b.length) continue
      return backwards(trace, a.length, b.length, offset)
    }
  }
  return []
}

function backwards(trace: readonly Int32Array[], n: number, m: number, offset: number): (readonly [number, number])[] {
  const kept: (readonly [number, number])[] = []
  let [x, y] = [n, m]
  for (let d = trace.length - 1; d >= 0; d--) {
    const ends = trace[d] as Int32Array
    const k = x - y
    const [below, above] = [ends[offset + k - 1] as number, ends[offset + k + 1] as number]
    const from = k === -d || (k !== d && below < above) ? k + 1 : k - 1
    const startX = d === 0 ? 0 : (ends[offset + from] as number)
    const startY = d === 0 ? 0 : startX - from
    while (x > startX && y > startY) kept.push([--x, --y])
    ;[x, y] = [startX, startY]
  }
  return kept.reverse()
}

/** The texts of one parameter's choices, all others being as in the first. */
export interface Varied {
  readonly param: string
  readonly texts: ReadonlyMap<string, string>
}

/** Puts the changes of all parameters into one list of pieces; or says which two parameters change the same place. */
export function piecesOf(base: string, varied: readonly Varied[]): { pieces: Piece[] } | { conflict: string[] } {
  const tokens = tokensOf(base)
  const regions = varied.flatMap(({ param, texts }) => {
    const changes = new Map([...texts].map(([choice, text]) => [choice, changesBetween(tokens, tokensOf(text))]))
    return merged([...changes.values()].flat()).map(({ start, end }) => ({
      ...{ param, start, end },
      texts: new Map([...changes].map(([choice, all]) => [choice, changed(tokens, start, end, all)])),
    }))
  })
  regions.sort((a, b) => a.start - b.start || a.end - b.end)
  const pieces: Piece[] = []
  let at = 0
  for (const [i, { param, start, end, texts }] of regions.entries()) {
    const before = regions[i - 1]
    const touches = before !== undefined && start === before.end && (start === end || before.start === before.end)
    if (before !== undefined && (start < before.end || touches)) return { conflict: [before.param, param] }
    pieces.push(tokens.slice(at, start).join(''), { param, texts })
    at = end
  }
  pieces.push(tokens.slice(at).join(''))
  return { pieces: pieces.filter((piece) => piece !== '') }
}

/** Ranges that touch or overlap as one. */
function merged(changes: readonly Change[]): { start: number; end: number }[] {
  const sorted = changes.toSorted((a, b) => a.start - b.start || a.end - b.end)
  const ranges: { start: number; end: number }[] = []
  for (const { start, end } of sorted) {
    const last = ranges.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else ranges.push({ start, end })
  }
  return ranges
}

/** The tokens of a range with the changes that lie in it. */
function changed(tokens: readonly string[], start: number, end: number, changes: readonly Change[]): string {
  let text = ''
  let at = start
  for (const change of changes) {
    if (change.start < start || change.end > end) continue
    text += tokens.slice(at, change.start).join('') + change.text
    at = change.end
  }
  return text + tokens.slice(at, end).join('')
}
