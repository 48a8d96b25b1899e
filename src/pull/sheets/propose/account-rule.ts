/** The rule for the account, which sheets in another currency than the account's need. */
import { currenciesOf } from '../measures.js'
import type { Context, Draft } from './context.js'
import type { Doubt } from './proposal.js'
import { periodOf } from './stock.js'
import { MONEY } from './words.js'

/** Undefined if a cell states the account's currency, or none states any. */
export function accountRule(contexts: readonly Context[]): { context: Context; draft: Draft } | undefined {
  const stated = new Map<string, { cells: number; context: Context }>()
  for (const context of contexts)
    for (const { evidence, currency: named, meaning } of context.table.fields)
      for (const [currency, cells] of [
        ...evidence.currencies,
        ...(named !== undefined && meaning !== undefined && MONEY.has(meaning) && evidence.numbers > 0
          ? ([[named, evidence.filled]] as const)
          : []),
      ]) {
        const before = stated.get(currency)
        stated.set(currency, { cells: (before?.cells ?? 0) + cells, context: before?.context ?? context })
      }
  const [known] = contexts.map(({ known: { masters } }) => masters.currency)
  const all = [...stated].flatMap(([sign, { cells, context }]) => {
    const codes = currenciesOf(sign)
    return codes.length === 0 ? [] : [{ sign, codes, cells, context }]
  })
  if (known === undefined || all.some(({ codes }) => codes.includes(known))) return undefined
  const [most] = all.toSorted((a, b) => b.cells - a.cells)
  if (most === undefined) return undefined
  const { titles } = most.context.table
  const name = titles.find((title) => periodOf([title]) === undefined)
  const doubts: Doubt[] = [
    {
      column: 'name',
      reason:
        name === undefined ? 'nothing names the company' : 'the first title was taken for the name of the company',
      ...(name === undefined && { needed: true as const }),
    },
    { column: 'time_zone', reason: 'write the time zone of the company, such as America/New_York', needed: true },
    {
      column: 'currency',
      reason: `${most.cells === 1 ? 'a cell states' : `${most.cells} cells state`} ${most.sign}, and the account is in ${known}`,
      ...(most.codes.length > 1 && { needed: true as const }),
    },
  ]
  const constants = { name: name ?? 'Unnamed account', time_zone: 'Etc/UTC', currency: most.codes[0] as string }
  return { context: most.context, draft: { entity: 'account', rank: 0, columns: {}, first: 'true', constants, doubts } }
}
