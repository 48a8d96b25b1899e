/** Holds the units and currencies that cells of a row state against its item and its document, and converts or refuses them. */
import type { Entity } from '../../import/entity.js'
import type { Counting } from './account.js'
import { multiply } from './decimal.js'
import type { Reading } from './formats.js'
import { type Masters, relate } from './masters.js'
import { currenciesOf, type Ratio, times } from './measures.js'
import { type CellFault, columnOf } from './value.js'

interface Row {
  readonly entity: Entity
  readonly header: readonly string[]
  readonly values: (string | null)[]
  readonly stated: ReadonlyMap<string, Reading>
  readonly faults: CellFault[]
  readonly line: number
}

const isQuantity = (name: string): boolean => /(^|_)qty(_|$)|^wastage$|^reorder_level$/.test(name)
const isPrice = (entity: Entity, name: string): boolean => columnOf(entity, name)?.measure === 'price'

export function compareRow(row: Row, masters: Masters, counting: Counting): void {
  const { entity, header, values } = row
  const value = (name: string): string | null => values[header.indexOf(name)] ?? null
  const fault = entity.name === 'items' ? itemFault(row, value) : unitFault(row, value, masters, counting)
  if (fault !== undefined) row.faults.push(fault)
  compareCurrencies(row, value, masters)
}

type Value = (name: string) => string | null

/** Sets a column that the mapping may lack; the header of the part has it, see `sheetHeader`. */
const set = ({ header, values }: Row, name: string, text: string | null): void => {
  values[header.indexOf(name)] = text
}

/** Converts the row's quantities and prices to a unit that the import takes, or says why it cannot. */
function unitFault(row: Row, value: Value, masters: Masters, counting: Counting): CellFault | undefined {
  const { entity, header, stated, line } = row
  if (entity.name === 'item_units') return undefined
  const given = 'unit' in entity.columns ? value('unit') : null
  const ofCells = [...stated].flatMap(([name, { unit, isBare }]) =>
    unit === undefined ? [] : [{ name, unit, isBare }],
  )
  const quantities = ofCells.filter(({ name }) => isQuantity(name))
  const unit = given ?? quantities[0]?.unit
  if (unit === undefined && ofCells.length === 0) return undefined
  const units = masters.unitsFor(entity, value)
  const refuse = (column: string, value: string | null, message: string): CellFault => ({ column, value, message })
  if (units === undefined) {
    // The loader holds a unit against its item, if the entity has a column for it.
    if ('unit' in entity.columns && unit !== undefined) {
      set(row, 'unit', unit)
      return undefined
    }
    const [first] = ofCells
    return refuse(first?.name ?? 'unit', first?.unit ?? unit ?? null, 'states a unit, and its item is not known')
  }
  const stock = units.stock
  const ofRow = unit === undefined ? ({ is: 'stock' } as const) : relate(unit, units)
  if (ofRow === undefined)
    return refuse(
      given === null ? (quantities[0]?.name ?? 'unit') : 'unit',
      unit ?? null,
      `is in ${unit}, and the item is kept in ${stock}: add ${unit} to its item_units, or correct the cell`,
    )
  for (const { name, unit: own, isBare } of ofCells) {
    const related = relate(own, units)
    if (isBare && related?.is !== 'stock')
      return refuse(
        name,
        own,
        `is calculated from ${own} and a price that may be for one ${stock}: write it as the price/${own}`,
      )
    if (isQuantity(name) ? sameUnit(related, ofRow) : related !== undefined) continue
    return refuse(name, own, `is in ${own}, and the row is in ${unit ?? stock}`)
  }
  // Prices for one unit that the cell names: 35.00/kg.
  const prices = header.filter((name) => isPrice(entity, name) && value(name) !== null)
  const ratioOf = (related: ReturnType<typeof relate>): Ratio =>
    related === undefined || related.is === 'stock' ? ['1', '1'] : related.ratio
  const stays = ofRow.is !== 'measure' && 'unit' in entity.columns
  const target = stays ? ratioOf(ofRow) : (['1', '1'] as const)
  for (const name of prices) {
    const own = stated.get(name)?.unit
    if (own === undefined) continue
    const [a, b] = ratioOf(relate(own, units))
    const converted = times(value(name) as string, [multiply(target[0], b), multiply(target[1], a)], 6)
    if (converted === undefined)
      return refuse(name, own, `cannot be converted exactly to a price for one ${stays ? unit : stock}`)
    if (converted !== value(name)) counting.note(`a price for one ${own} was converted`, line)
    set(row, name, converted)
  }
  if ('unit' in entity.columns) set(row, 'unit', ofRow.is === 'other' ? ofRow.unit : null)
  if (stays || ofRow.is === 'stock') {
    if (ofRow.is === 'other' && given === null) counting.note(`${ofRow.unit} was converted to ${stock}`, line)
    return undefined
  }
  // The sheet's own unit has no place in the import: convert here.
  const quantity = header.find((name) => isQuantity(name) && value(name) !== null)
  const before = quantity === undefined ? null : value(quantity)
  for (const name of header.filter(isQuantity)) {
    const text = value(name)
    if (text === null) continue
    const converted = times(text, ofRow.ratio, 4)
    if (converted === undefined)
      return refuse(name, `${text} ${unit}`, `cannot be converted to ${stock} with 4 fraction digits`)
    set(row, name, converted)
  }
  counting.note(`${unit} was converted to ${stock}`, line)
  const bare = prices.filter((name) => stated.get(name)?.unit === undefined && Number(value(name)) !== 0)
  if (bare.length === 0) return undefined
  const per = unitOfPrice(value, before, quantity === undefined ? null : value(quantity), bare)
  if (per === undefined)
    return refuse(
      bare[0] as string,
      value(bare[0] as string),
      `may be the price for one ${unit} or for one ${stock}: write it as ${value(bare[0] as string)}/${stock}`,
    )
  if (per === 'stock') return undefined
  for (const name of bare) {
    const converted = times(value(name) as string, [ofRow.ratio[1], ofRow.ratio[0]], 6)
    if (converted === undefined)
      return refuse(name, value(name), `cannot be converted exactly to a price for one ${stock}`)
    set(row, name, converted)
  }
  return undefined
}

const sameUnit = (a: ReturnType<typeof relate>, b: ReturnType<typeof relate>): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

/** The unit that bare prices are for, if the amount of the line tells: quantity times price is the amount. */
function unitOfPrice(value: Value, written: string | null, converted: string | null, prices: readonly string[]) {
  const amount = value('taxable_amt') ?? value('taxable_value')
  if (amount === null || written === null || converted === null) return undefined
  const fits = (quantity: string) =>
    prices.some(
      (name) =>
        Math.abs(Number(quantity) * Number(value(name)) - Number(amount)) <= 0.01 + Math.abs(Number(amount)) / 1e6,
    )
  const [ofStock, ofCell] = [fits(converted), fits(written)]
  return ofStock === ofCell ? undefined : ofStock ? 'stock' : 'cell'
}

/** An item's own quantities, such as its reorder level, are in its stock unit. */
function itemFault({ stated }: Row, value: Value): CellFault | undefined {
  const stock = value('unit')
  for (const [column, { unit }] of stated)
    if (
      unit !== undefined &&
      stock !== null &&
      isQuantity(column) &&
      relate(unit, { stock, others: new Map() })?.is !== 'stock'
    )
      return { column, value: unit, message: `is in ${unit}, and the item is kept in ${stock}` }
  return undefined
}

function compareCurrencies(row: Row, value: Value, masters: Masters): void {
  const { entity, header, stated, faults } = row
  const takes = 'currency' in entity.columns && entity.name !== 'account'
  for (const [name, { currency }] of stated) {
    if (currency === undefined) continue
    const expected = masters.currencyFor(entity, value)
    const codes = currenciesOf(currency)
    if (codes.includes(expected)) continue
    const [code] = codes
    if (
      takes &&
      value('currency') === null &&
      codes.length === 1 &&
      code !== undefined &&
      header.includes('currency')
    ) {
      set(row, 'currency', code) // the loader asks for its rate
      continue
    }
    const what = codes.length === 1 ? code : currency
    faults.push({
      column: name,
      value: currency,
      message: takes
        ? `is in ${what}, and the document is in ${expected}: map the columns currency and exchange_rate`
        : `is in ${what}, and its document is in ${expected}`,
    })
  }
}
