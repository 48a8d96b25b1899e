/**
 * Netting over levels, in exact arithmetic: stock is used first, missing parts are made from their components, and missing parts
 * without a bill have to be bought. docs/decisions/0050 describes how the largest producible quantity is found.
 */
import { type Bills, divideUp, type Part, UNITS } from '../shared/bills.js'

/** The usable stock of an item, in units of 1/10,000; never negative. */
export type Usable = (part: Part) => bigint

/** A product with everything that it is made of, prepared for netting. */
interface Explosion {
  /** Products before their components; the product itself is the first. */
  readonly parts: readonly Part[]
  /** For each part, what one unit needs: the place of a component, and its ratio with the digits of both levels. */
  readonly needs: readonly (readonly { readonly at: number; readonly ratio: bigint }[])[]
  /** For each part, 1 with the digits of its level. A number of a level has the digits of the ratios above it. */
  readonly one: readonly bigint[]
}

export type Explode = (product: Part) => Explosion

/** Prepares bills for netting product by product. */
export function exploder({ parts, digits }: Bills): Explode {
  const rank = new Map(parts.map((part, i) => [part, i]))
  const rankOf = (part: Part) => rank.get(part) as number
  return (product) => {
    const reached = new Set([product])
    for (const part of reached) for (const need of part.needs) reached.add(need.part)
    const sorted = [...reached].sort((a, b) => rankOf(a) - rankOf(b))
    const at = new Map(sorted.map((part, i) => [part, i]))
    const levels = sorted.map(() => 0)
    sorted.forEach(({ needs }, i) => {
      for (const { part } of needs) {
        const j = at.get(part) as number
        levels[j] = Math.max(levels[j] as number, (levels[i] as number) + 1)
      }
    })
    const scale = (levels: number) => 10n ** BigInt(digits * levels)
    return {
      parts: sorted,
      needs: sorted.map(({ needs }, i) =>
        needs.map(({ part, ratio }) => {
          const j = at.get(part) as number
          return { at: j, ratio: ratio * scale((levels[j] as number) - (levels[i] as number) - 1) }
        }),
      ),
      one: levels.map(scale),
    }
  }
}

/** A bought part beside the quantity that it is needed in. */
interface Bought {
  readonly part: Part
  /** Needed − usable, in 1/10,000 of the quantity's denominator, with the digits of the part's level. */
  readonly missing: bigint
  /** How much more is needed for each further unit of the product, with the digits of the part's level. */
  readonly slope: bigint
  readonly one: bigint
}

/**
 * The bought parts for `numerator` / `denominator` units of the product. With `makeAll` everything is made that stock does not
 * cover, and what stock has too much of is taken as made before: a lower bound of every need.
 */
function net(
  { parts, needs, one }: Explosion,
  usable: Usable,
  numerator: bigint,
  denominator: bigint,
  makeAll = false,
): Bought[] {
  const needed = parts.map(() => 0n)
  const slopes = parts.map(() => 0n)
  const bought: Bought[] = []
  parts.forEach((part, i) => {
    let make = numerator * UNITS
    let slope = 1n
    if (i > 0) {
      make = (needed[i] as bigint) - usable(part) * denominator * (one[i] as bigint)
      slope = slopes[i] as bigint
      if (!part.isMade) {
        bought.push({ part, missing: make, slope, one: one[i] as bigint })
        return
      }
      if (make < 0n && !makeAll) return
    }
    for (const { at, ratio } of needs[i] as Explosion['needs'][number]) {
      needed[at] = (needed[at] as bigint) + make * ratio
      slopes[at] = (slopes[at] as bigint) + slope * ratio
    }
  })
  return bought
}

export interface Producible {
  /** In 1/10,000, rounded down. */
  readonly qty: bigint
  readonly whole: bigint
  /** The first by its code, where several do. */
  readonly limitedBy: Part
  /** What is missing for one more whole unit, in 1/10,000, rounded up. */
  readonly missing: readonly { readonly part: Part; readonly qty: bigint }[]
}

/**
 * The largest quantity for which no bought part is missing; undefined where no bought part is needed at all. Each need is a convex function of the quantity and consists of straight
 * pieces. So the tangent at a quantity that is too large meets the stock at another one that is not too small, and after a
 * few tangents at the largest quantity itself (Newton's method).
 */
export function producible(explosion: Explosion, usable: Usable): Producible | undefined {
  let [numerator, denominator] = [0n, 1n]
  let bought = net(explosion, usable, 0n, 1n, true)
  if (bought.length === 0) return undefined
  let isBound = true
  while (true) {
    const worst = bought.reduce<Bought | undefined>((worst, one) => {
      if (!isBound && one.missing <= 0n) return worst
      return worst === undefined || one.missing * worst.slope > worst.missing * one.slope ? one : worst
    }, undefined)
    if (worst === undefined) break
    numerator = numerator * UNITS * worst.slope - worst.missing
    denominator *= UNITS * worst.slope
    const divisor = greatestCommonDivisor(numerator, denominator)
    numerator /= divisor
    denominator /= divisor
    bought = net(explosion, usable, numerator, denominator)
    isBound = false
  }
  const limits = bought.filter(({ missing, slope }) => missing === 0n && slope > 0n)
  const whole = numerator / denominator
  return {
    qty: (numerator * UNITS) / denominator,
    whole,
    limitedBy: limits.map(({ part }) => part).sort(byCode)[0] as Part,
    missing: net(explosion, usable, whole + 1n, 1n)
      .filter(({ missing }) => missing > 0n)
      .map(({ part, missing, one }) => ({ part, qty: divideUp(missing, one) })),
  }
}

/** By code points, as the database sorts codes. */
export const byCode = (a: { readonly sku: string }, b: { readonly sku: string }): number =>
  Buffer.compare(Buffer.from(a.sku), Buffer.from(b.sku))

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b]
  while (y > 0n) [x, y] = [y, x % y]
  return x
}

/** An item of a plan or below it. Quantities are whole numbers of its last digit; `digits` is the number of fraction digits. */
export interface Planned {
  readonly part: Part
  /** 0 for the plan, else the longest path from an item of the plan. */
  readonly level: number
  readonly digits: number
  readonly needed: bigint
  readonly fromStock: bigint
  /** What stock and open orders leave: to be made if the part has a bill, else to be bought. */
  readonly left: bigint
}

/**
 * Nets a plan, in 1/10,000 by item. Items that no bill names are netted too: `parts` has the items of the plan and the items of the bills.
 */
export function netPlan(
  parts: readonly Part[],
  ratioDigits: number,
  plan: ReadonlyMap<number, bigint>,
  usable: Usable,
  onOrder: Usable,
): Planned[] {
  const reached = parts.filter(({ id }) => plan.has(id))
  const seen = new Set(reached)
  for (const part of seen) for (const need of part.needs) seen.add(need.part)
  const depths = new Map<Part, number>(reached.map((part) => [part, 0]))
  const needs = new Map<Part, bigint>()
  const scale = (levels: number) => 10n ** BigInt(ratioDigits * levels)
  const sorted = parts.filter((part) => seen.has(part))
  // Products come before their components, so the depth of a part is final when its turn comes.
  for (const part of sorted)
    for (const need of part.needs)
      depths.set(need.part, Math.max(depths.get(need.part) ?? 0, (depths.get(part) as number) + 1))
  return sorted.map((part) => {
    const depth = depths.get(part) as number
    const one = scale(depth)
    const needed = (needs.get(part) ?? 0n) + (plan.get(part.id) ?? 0n) * one
    const stock = usable(part) * one
    const fromStock = needed < stock ? needed : stock
    const rest = needed - fromStock - onOrder(part) * one
    const left = rest > 0n ? rest : 0n
    for (const { part: component, ratio } of part.needs) {
      const levels = (depths.get(component) as number) - depth - 1
      needs.set(component, (needs.get(component) ?? 0n) + left * ratio * scale(levels))
    }
    return {
      ...{ part, needed, fromStock, left },
      level: plan.has(part.id) ? 0 : depth,
      digits: 4 + ratioDigits * depth,
    }
  })
}
