/** Rules for stock: opening or closing stock as one sheet, stock books, and lists of movements. */
import { type Context, type Draft, list, only, RANK } from './context.js'
import type { Field } from './field.js'
import { itemsOf } from './parties.js'
import type { Doubt, FromObject, RowRuleObject } from './proposal.js'
import { CARRIED, MOVEMENTS } from './words.js'

export const MAIN_WAREHOUSE = 'Main'

/** The warehouse of movements: a column, or one for all. */
export function warehouseFrom(context: Context): { from?: FromObject; constant?: string; drafts: Draft[] } {
  const field = context.field('warehouse')
  if (field !== undefined)
    return {
      from: field.name,
      drafts: [
        {
          entity: 'warehouses',
          rank: 0,
          columns: { key: field.name, location: field.name },
          first: 'true',
          unless: field.name,
        },
      ],
    }
  return {
    constant: MAIN_WAREHOUSE,
    drafts: [
      {
        ...{ entity: 'warehouses', rank: 90, columns: {}, first: 'true' },
        constants: { key: MAIN_WAREHOUSE, location: MAIN_WAREHOUSE },
        doubts: [
          { column: 'location', reason: `no column names a warehouse, so all stock is in one, ${MAIN_WAREHOUSE}` },
        ],
      },
    ],
  }
}

const itemField = (context: Context): Field | undefined =>
  context.field('item', 'particulars', 'material', 'item_code', 'description')

/** The code of the item that a movement is about. */
export const skuFrom = (context: Context, item: Field): FromObject => {
  const code = context.field('item_code')
  return code !== undefined && code.evidence.filled === context.table.rows ? code.name : context.code('items', item)
}

/** Stock on one day: closing, or else opening. */
export function stockList(context: Context): Draft[] | undefined {
  const item = itemField(context)
  const isOpening =
    !context.has('closing_qty') && (context.has('opening_qty') || context.about('opening') !== undefined)
  const qty =
    context.field('closing_qty', 'opening_qty') ??
    (context.about('stock', 'opening') === undefined ? undefined : context.field('qty'))
  if (item === undefined || qty === undefined || context.has('date', 'invoice_date', 'batch_date')) return undefined
  const mixed = context.table.by('date')
  if (mixed !== undefined && mixed.evidence.dateCount > 0) {
    context.table.refuse(
      `${mixed.name} has days and other texts, such as the item of the rows below: give each row its day and its item`,
    )
    return undefined
  }
  const value = context.field(isOpening ? 'opening_value' : 'closing_value', 'amount', 'total')
  const price = context.field(isOpening ? 'opening_rate' : 'closing_rate', 'cost', 'rate')
  const valued = valueFrom(qty, value, price)
  const day = context.field('as_of')
  const one = oneDay(context, item, day, isOpening)
  const period = periodOf(context.table.titles)
  const date = period === undefined ? undefined : isOpening ? period.first : period.last
  const warehouse = warehouseFrom(context)
  const without = context.table.rows - qty.evidence.filled
  const what = isOpening ? 'opening' : 'closing'
  const doubts: Doubt[] = [
    {
      column: 'kind',
      reason: `the ${what} stock of each item is loaded as one receipt; movements before that day must not be loaded too`,
    },
    ...(day === undefined && date === undefined
      ? [
          {
            column: 'movement_date',
            reason: 'nothing says of which day this stock is: write the day',
            needed: true as const,
          },
        ]
      : day === undefined
        ? [
            {
              column: 'movement_date',
              reason: `the titles name the period up to ${period?.last}, so the stock is of ${date}`,
            },
          ]
        : []),
    ...one.doubts,
    ...(context.table.groups.length > 0
      ? [
          {
            reason: `rows such as ${context.table.groups.slice(0, 3).join(', ')} have the sums of the rows next to them: if they are groups, leave them out, or their stock counts twice`,
            needed: true as const,
          },
        ]
      : []),
    ...valued.doubts,
    ...(without > 0
      ? [{ reason: `${without} rows have no ${qty.name}, such as groups and items without stock: they are left out` }]
      : []),
    ...(qty.evidence.negative > 0
      ? [
          {
            column: 'qty',
            reason: `${qty.evidence.negative} items have a negative quantity, which a receipt cannot have`,
            needed: true as const,
          },
        ]
      : []),
  ]
  return [
    ...itemsOf(context, {
      name: item,
      code: context.itemCode,
      rank: RANK.stock,
      quantities: [qty],
    }).map((draft) => ({ ...draft, unless: qty.name })),
    ...warehouse.drafts,
    {
      entity: 'stock_movements',
      rank: 0,
      columns: only({
        ...{
          movement_no: {
            text: `${isOpening ? 'OPENING' : 'STOCK'}/${day === undefined ? '' : `{${day.name}|date}/`}{${item.name}}${warehouse.from === undefined ? '' : `/{${context.field('warehouse')?.name}}`}/{#}`,
          },
        },
        movement_date: day?.name,
        ...{ sku: skuFrom(context, item), warehouse: warehouse.from, qty: qty.name, ...valued.columns },
        ...{ unit: context.field('unit')?.name },
      }),
      constants: {
        kind: 'other_receipt',
        ...(day === undefined && { movement_date: date ?? 'YYYY-MM-DD' }),
        ...(warehouse.constant !== undefined && { warehouse: warehouse.constant }),
        ...valued.constants,
      },
      leaveOut: zeroRows(qty),
      unless: qty.name,
      isStock: true,
      ...one.rule,
      doubts,
    },
  ]
}

/** Of stock on several days, or in several sheets with the same items, one is loaded: together they would be counted several times. */
function oneDay(
  context: Context,
  item: Field,
  day: Field | undefined,
  isOpening: boolean,
): { rule: Pick<Draft, 'sheets' | 'only'>; doubts: Doubt[] } {
  const { table, known } = context
  const which = isOpening ? 'first' : 'last'
  if (item.evidence.texts.size === item.evidence.filled) return { rule: {}, doubts: [] }
  const days = [...(day?.evidence.texts.keys() ?? [])].flatMap((text) => {
    const found = /^\d{4}-\d\d-\d\d/.test(text) ? text : known.date(text)
    return found === undefined ? [] : [{ text, found }]
  })
  if (day !== undefined && days.length > 1) {
    const inOrder = days.toSorted((a, b) => (a.found < b.found ? -1 : 1))
    const text = (isOpening ? inOrder[0] : inOrder.at(-1))?.text as string
    return {
      rule: { only: [{ column: day.name, like: text }] },
      doubts: [
        {
          reason: `the same items have stock on ${days.length} days; only the ${which} day, ${text}, is loaded`,
          needed: true,
        },
      ],
    }
  }
  const sheet = isOpening ? table.sheets[0] : table.sheets.at(-1)
  if (sheet === undefined || table.sheets.length < 2) return { rule: {}, doubts: [] }
  return {
    rule: { sheets: [sheet] },
    doubts: [
      {
        reason: `the same items stand in ${table.sheets.length} sheets, so only the stock of the ${which} one, ${sheet.sheet || sheet.file}, is loaded; if they are places and not months, read them all`,
        needed: true,
      },
    ],
  }
}

/** Rows of no quantity move nothing. */
const zeroRows = (qty: Field): RowRuleObject[] => {
  const zeros = [...qty.evidence.texts.keys()].filter(
    (text) => /^0*(\.0*)?(\s*\p{L}+\.?)?$/u.test(text) && /0/.test(text),
  )
  return zeros.length === 0 || zeros.length > 5 ? [] : [{ column: qty.name, like: zeros }]
}

/** The value of a movement: a column, or quantity times price. */
function valueFrom(
  qty: Field,
  value: Field | undefined,
  price: Field | undefined,
): Required<Pick<Draft, 'columns' | 'constants' | 'doubts'>> {
  if (value !== undefined) return { columns: { val: value.name, val_tax: value.name }, constants: {}, doubts: [] }
  if (price !== undefined) {
    const calc = { calc: `{${qty.name}} * {${price.name}}`, round: '4' }
    return {
      columns: { val: calc, val_tax: calc },
      constants: {},
      doubts: [{ column: 'val', reason: `no column states the value, so it is ${qty.name} times ${price.name}` }],
    }
  }
  return {
    columns: {},
    constants: { val: '0', val_tax: '0' },
    doubts: [{ column: 'val', reason: 'no column states a value or a price, so the stock is worth 0' }],
  }
}

/** What stands in the column Particulars of a stock card. */
const HAPPENED =
  /^(by |to )?(opening|closing|purchased?|purchases|sales?|sold|issued?|issues|receipts?|received|returned|returns?|production|produced|consumption|consumed|used|transfer(red)?|adjustment)\b/i

/** A stock book: a date, an item, and a column for what came in and for what went out. */
export function stockBook(context: Context): Draft[] | undefined {
  const item = itemField(context)
  const day = context.field('date')
  const [came, went] = [context.field('in_qty'), context.field('out_qty')]
  if (item === undefined || day === undefined || (came === undefined && went === undefined)) return undefined
  const balance = context.field('closing_qty')
  if (balance !== undefined && context.table.figures.runsOn(item, came, went, balance)) {
    context.table.refuse(
      `${balance.name} runs on from row to row although ${item.name} changes, so it is about one item, which no column names: add a column with the item`,
    )
    return undefined
  }
  const texts = [...item.evidence.texts.keys()]
  if (item.concept !== 'item' && texts.length > 0 && texts.every((text) => HAPPENED.test(text))) {
    context.table.refuse(
      `${item.name} says what happened, such as ${list(texts)}, and no column names the item: add a column with the item`,
    )
    return undefined
  }
  const carried = carriedIn(context, item)
  const opened = balance && context.table.figures.openedAt(item, came, went, balance)
  const before: Doubt[] =
    opened === undefined
      ? []
      : [
          {
            column: 'qty',
            reason: `${balance?.name} in row ${opened} has stock from before, which no row brings in: load the opening stock by a sheet of its own`,
            needed: true,
          },
        ]
  const warehouse = warehouseFrom(context)
  const both = context.field('amount', 'total')
  const price = context.field('rate', 'cost')
  const draftOf = (qty: Field, other: Field | undefined, isIn: boolean): Draft => {
    const value = context.field(isIn ? 'in_value' : 'out_value') ?? both
    const valued = valueFrom(qty, value, context.field(isIn ? 'in_rate' : 'out_rate') ?? price)
    const mixed = other === undefined ? 0 : qty.evidence.filled + other.evidence.filled - context.table.rows
    return {
      entity: 'stock_movements',
      rank: isIn ? 1 : 2,
      columns: only({
        movement_no: { text: `${isIn ? 'IN' : 'OUT'}/{${day.name}|date}/{${item.name}}/{#}` },
        movement_date: day.evidence.filled < context.table.rows ? { column: day.name, fill: 'all' } : day.name,
        ...{ sku: skuFrom(context, item), warehouse: warehouse.from, qty: qty.name, ...valued.columns },
        ...{ unit: context.field('unit')?.name, note: context.field('remarks')?.name },
      }),
      constants: {
        kind: isIn ? 'other_receipt' : 'internal_issue',
        ...(warehouse.constant !== undefined && { warehouse: warehouse.constant }),
        ...valued.constants,
      },
      unless: qty.name,
      leaveOut: [...zeroRows(qty), ...carried.leaveOut],
      doubts: [
        ...carried.doubts,
        ...(isIn || came === undefined ? before : []),
        {
          column: 'kind',
          reason: isIn
            ? 'everything that came in is another receipt; purchase_receipt and production_receipt are kinds too'
            : 'everything that went out is an internal issue; consumption and trash are kinds too',
        },
        ...valued.doubts,
        ...(mixed > 0
          ? [{ column: 'qty', reason: `${mixed} rows have a quantity in both ${qty.name} and ${other?.name}` }]
          : []),
      ],
    }
  }
  return [
    ...itemsOf(context, { name: item, code: context.itemCode, rank: RANK.stock, quantities: [came, went] }).map(
      (draft) => ({ ...draft, leaveOut: carried.leaveOut }),
    ),
    ...warehouse.drafts,
    ...(came === undefined ? [] : [draftOf(came, went, true)]),
    ...(went === undefined ? [] : [draftOf(went, came, false)]),
  ]
}

/** Rows with the balance of the sheet before: loaded too, the stock would be counted again with each month. */
function carriedIn(context: Context, item: Field): { leaveOut: RowRuleObject[]; doubts: Doubt[] } {
  const isEach = context.table.sheets.length > 1
  const leaveOut = context.table.fields.flatMap(({ name, place, evidence }): RowRuleObject[] => {
    const texts = [...evidence.texts.keys()].filter((text) => CARRIED.test(text))
    return texts.length > 0 && (isEach || place === item.place) ? [{ column: name, like: texts }] : []
  })
  const [first] = leaveOut
  if (first === undefined) return { leaveOut, doubts: [] }
  const reason = `rows of ${list([first.like ?? ''].flat())} carry a balance and are left out: load the first opening stock by a sheet of its own`
  return { leaveOut, doubts: [{ column: 'qty', reason, needed: true }] }
}

/** A list of movements with a column that says what happened. */
export function movementList(context: Context): Draft[] | undefined {
  const item = itemField(context)
  const [day, qty, type] = [context.field('date'), context.field('qty'), context.field('voucher_type', 'item_type')]
  if (item === undefined || day === undefined || qty === undefined) return undefined
  const words = type?.evidence.words
  const kinds = words?.map((word) => [word, MOVEMENTS.find(([pattern]) => pattern.test(word))?.[1]] as const) ?? []
  const isReceipt = context.has('grn_no') || context.about('receipt', 'consumption') === 'receipt'
  const isConsumed = !isReceipt && (context.field('material') === item || context.about('consumption') !== undefined)
  if (!isReceipt && !isConsumed && (kinds.length === 0 || kinds.some(([, kind]) => kind === undefined)))
    return undefined
  const warehouse = warehouseFrom(context)
  const valued = valueFrom(qty, context.field('amount', 'total'), context.field('rate', 'cost'))
  const number = context.field('movement_no', 'grn_no', 'voucher_no')
  const isUnique =
    number !== undefined && number.evidence.texts.size === context.table.rows && context.table.sheets.length === 1
  const values = Object.fromEntries(kinds.flatMap(([word, kind]) => (kind === undefined ? [] : [[word, kind]])))
  const byType = !isReceipt && !isConsumed && type !== undefined
  return [
    ...itemsOf(context, {
      name: item,
      code: context.itemCode,
      rank: isConsumed ? RANK.used : RANK.stock,
      quantities: [qty],
      type: isConsumed || isReceipt ? 'MAT' : 'FG',
    }),
    ...warehouse.drafts,
    {
      entity: 'stock_movements',
      rank: 3,
      columns: only({
        movement_no: isUnique
          ? number.name
          : { text: `${isConsumed ? 'USED' : isReceipt ? 'GRN' : 'MOVE'}/{${day.name}|date}/{${item.name}}/{#}` },
        ...{ movement_date: day.name, kind: byType ? { column: type.name, values } : undefined },
        ...{ sku: skuFrom(context, item), warehouse: warehouse.from, qty: qty.name, ...valued.columns },
        ...{ unit: context.field('unit')?.name, note: context.field('remarks')?.name },
      }),
      constants: {
        ...(!byType && { kind: isConsumed ? 'consumption' : 'purchase_receipt' }),
        ...(warehouse.constant !== undefined && { warehouse: warehouse.constant }),
        ...valued.constants,
      },
      unless: qty.name,
      doubts: [
        ...(byType
          ? [{ column: 'kind', reason: list(Object.entries(values).map(([word, kind]) => `${word} is ${kind}`)) }]
          : []),
        ...valued.doubts,
      ],
    },
  ]
}

/** The days in a title such as `1-Apr-25 to 31-Mar-26`, `As of April 30, 2026` or `as on 31.03.2026`. */
export function periodOf(titles: readonly string[]): { first: string; last: string } | undefined {
  for (const title of titles) {
    const found = [...title.matchAll(DAY)]
    const isDayFirst = found.some(([, , , , , , , , a]) => Number(a) > 12)
    const isMonthFirst = found.some(([, , , , , , , , , b]) => Number(b) > 12)
    const days = found.map(([, d, m, y, m2, d2, y2, iso, a = '', b = '', year]) => {
      if (iso !== undefined) return iso
      if (year === undefined) return dayOf(d ?? d2, m ?? m2, y ?? y2)
      const [day, month] = isMonthFirst ? [b, a] : [a, b]
      return isDayFirst !== isMonthFirst || a === b ? dayOf(day, MONTHS[Number(month) - 1], year) : undefined
    })
    const [first, last] = [days[0], days.at(-1)]
    if (first !== undefined && last !== undefined) return { first, last }
  }
  return undefined
}

const DAY =
  /\b(\d{1,2})[-/. ]([a-z]{3})[a-z]*[-/., ]+(\d{4}|\d{2})\b|\b([a-z]{3})[a-z]* (\d{1,2}),? (\d{4})\b|\b(\d{4}-\d\d-\d\d)\b|\b(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})\b/gi
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

function dayOf(day = '', month = '', year = ''): string | undefined {
  const number = MONTHS.indexOf(month.toLowerCase()) + 1
  if (number === 0) return undefined
  const two = (text: string | number) => String(text).padStart(2, '0')
  return `${year.length === 2 ? `20${year}` : year}-${two(number)}-${two(day)}`
}
