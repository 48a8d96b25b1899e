/** The rule for the account, which sheets in another currency than the account's need. */
import { currenciesOf } from '../measures.js'
import type { Context, Draft } from './context.js'
import type { FoundTable } from './found.js'
import type { Doubt } from './proposal.js'
import { periodOf } from './stock.js'
import { MONEY } from './words.js'

/** Cells with an amount or a price. */
const moneyCells = ({ fields }: FoundTable): number =>
  fields.reduce(
    (sum, { meaning, evidence }) =>
      sum + ((meaning !== undefined && MONEY.has(meaning)) || evidence.currencies.size > 0 ? evidence.numbers : 0),
    0,
  )

/** Undefined if a cell states the account's currency, or most cells state none. */
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
  const sure = all.find(({ codes: [code, ...more] }) => more.length === 0 && most.codes.includes(code as string))
  const code = (sure ?? most).codes[0] as string
  const own = all.reduce((sum, { codes, cells }) => sum + (codes.includes(code) ? cells : 0), 0)
  const money = contexts.reduce((sum, { table }) => sum + moneyCells(table), 0)
  const isFirst = contexts.some(({ table: { fields } }) =>
    fields.some(({ evidence: { firstCurrency } }) => currenciesOf(firstCurrency ?? '').includes(code)),
  )
  // One price in dollars does not make all others dollars: the load refuses it, because it needs a rate.
  if (own * 2 < money && !isFirst) return undefined
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
      reason: `${own === 1 ? 'a cell states' : `${own} cells state`} ${(sure ?? most).sign}, and the account is in ${known}${own < money ? `; ${money - own} other amounts state no currency, and would be in ${code} too` : ''}`,
      ...((sure === undefined || own < money) && { needed: true as const }),
    },
  ]
  const constants = { name: name ?? 'Unnamed account', time_zone: 'Etc/UTC', currency: code }
  return { context: most.context, draft: { entity: 'account', rank: 0, columns: {}, first: 'true', constants, doubts } }
}
