/** Makes valid requests for a report from its declared parameters: every choice of its words, over a range of days. */
import type { ParamType } from '../../src/kernel/report/params.js'
import type { Report } from '../../src/kernel/report/report.js'
import type { Company } from './company.js'
import { long } from './tier.js'

/** What every request for a report has: the sample is one load, whose changes are all of its rows. */
const always: Readonly<Record<string, Record<string, unknown>>> = { 'history.changes': { entity: 'items' } }

/**
 * `codes` are values of the data, by the parameter's name; by the word of a set of alternatives, requests with one of them. Required
 * parameters come in every combination; optional ones all left out, each choice alone, and all of them together. Without values, an
 * optional parameter is always left out.
 */
export function requestsFor(
  report: Report,
  range: { from_date: string; to_date: string },
  codes: Record<string, unknown[]> = {},
): Record<string, unknown>[] {
  let requests: Record<string, unknown>[] = [always[report.id] ?? {}]
  const optional: [string, readonly unknown[]][] = []
  const alternatives = new Map<string, Record<string, unknown>[]>()
  for (const [name, { type, example, required, insteadOf }] of Object.entries(report.request)) {
    if (insteadOf !== undefined) {
      const known = alternatives.get(insteadOf) ?? []
      alternatives.set(insteadOf, [...known, { [name]: example }])
      continue
    }
    const given: readonly unknown[] =
      name === 'from_date' || name === 'to_date'
        ? [range[name]]
        : name === 'date' || name === 'as_on' || name === 'until'
          ? [range.to_date]
          : (codes[name] ?? choicesOf(type) ?? [example])
    if (required) requests = requests.flatMap((request) => given.map((choice) => ({ ...request, [name]: choice })))
    else optional.push([name, given])
  }
  for (const [word, given] of alternatives) {
    const choices = (codes[word] as Record<string, unknown>[] | undefined) ?? given
    requests = requests.flatMap((request) => choices.map((choice) => ({ ...request, ...choice })))
  }
  if (optional.length === 0) return requests
  const alone = optional.flatMap(([name, given]) => given.map((choice) => ({ [name]: choice })))
  const together = Object.fromEntries(optional.map(([name, given]) => [name, given[0]]))
  return requests.flatMap((request) => [{}, ...alone, together].map((more) => ({ ...request, ...more })))
}

/** In the quick tier the first request for each variant of the report, in the long tier all. */
export function someRequestsFor(
  report: Report,
  ...rest: [range: { from_date: string; to_date: string }, codes?: Record<string, unknown[]>]
) {
  const seen = new Set<unknown>()
  return requestsFor(report, ...rest).filter((request) => {
    const variant = request[report.shapedBy ?? '']
    const isFirst = !seen.has(variant)
    seen.add(variant)
    return long || isFirst
  })
}

/** Values of a company for the parameters that name a row: a few of each, or one that does not exist. */
export function codesOf(company: Company, most = 3): Record<string, unknown[]> {
  const some = (values: readonly (string | null)[]) => {
    const all = [...new Set(values)].filter((value) => value !== null)
    const step = Math.max(1, Math.floor(all.length / most))
    return all.length === 0 ? ['none'] : all.filter((_, i) => i % step === 0).slice(0, most)
  }
  const { stock_movement: moves, item, warehouse } = company
  return {
    sku: some(moves.map((m) => item.find(({ id }) => id === m.item_id)?.sku ?? null)),
    warehouse: some(warehouse.map(({ location }) => location)),
    batch: ['', ...some(moves.map((m) => m.batch_no))],
    batch_no: some([...moves.map((m) => m.for_batch_no), ...moves.map((m) => m.batch_no)]),
    product_sku: some(company.bom_line.map((line) => item.find(({ id }) => id === line.product_id)?.sku ?? null)),
    material_code: some(company.bom_line.map((line) => item.find(({ id }) => id === line.component_id)?.sku ?? null)),
    code: some([...company.customer, ...company.vendor].map(({ code }) => code)),
    order_no: some(company.sales_order.map((order) => order.order_no)),
    plan: [plan(item)],
    bands: ['30,60,90,180', '0', '1,2,400'],
    start: startsIn(company, some),
    pono: some([...company.goods_receipt, ...company.purchase_order].map((document) => document.po_no)),
  }
}

/** What a trace can start with: batches with their items, and documents that moved something. */
function startsIn(
  { stock_movement: moves, item, invoice_line }: Company,
  some: (values: (string | null)[]) => unknown[],
) {
  const batches = some(
    moves.map(
      ({ item_id, batch_no }) =>
        batch_no && JSON.stringify({ batch_no, sku: item.find(({ id }) => id === item_id)?.sku }),
    ),
  )
  return [
    ...batches.map((text) => (text === 'none' ? { batch_no: text } : JSON.parse(String(text)))),
    ...some(moves.map((m) => m.order_no)).map((order_no) => ({ order_no })),
    ...some([...moves.map((m) => m.invoice_no), ...invoice_line.map((x) => x.order_no && x.invoice_no)]).map(
      (invoice_no) => ({ invoice_no }),
    ),
    ...some(moves.map((m) => m.grn_no)).map((grn_no) => ({ grn_no })),
  ]
}

/** A plan for some items; a code may be in it twice. */
const plan = (items: Company['item']) => {
  const [first, ...others] = items.filter(({ type }) => type !== 'MAT').slice(0, 4)
  return [...others, first, first].map((item, i) => `${item?.sku}=${i + 1}.5`).join(', ')
}

/** Every form of every choice that a parameter offers. */
function choicesOf(type: ParamType): readonly unknown[] | undefined {
  if (type.kind === 'zero-or-one') return [0, 1, '0', '1']
  return type.kind === 'word' ? type.words : undefined
}
