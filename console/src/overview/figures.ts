/** The figures of the overview. Each comes from reports, through the requests that any caller can send. */
import { type Signal, signal } from '@preact/signals'
import { asFailure, Failure } from '../api.js'
import { allRows, totalsOf, type View } from '../ask.js'
import { type Row, reportOf, type Values } from '../catalogue.js'
import { daysBetween, daysFrom, inWords, monthInWords, monthOf, monthsFrom, rangeInWords, today } from '../dates.js'
import { add, compare, negated } from '../numbers.js'
import type { Point, Series } from '../parts/charts.js'
import { filterText, literal } from '../report/filters.js'
import { reportUrl } from '../report/view.js'
import { list, type Overview, type Tile } from './model.js'
import { queue } from './queue.js'

const SHOWN = 5

export function loadOverview(now = today()): Overview {
  const controller = new AbortController()
  const { signal: stop } = controller
  const failure = signal<Failure | undefined>(undefined)
  const run = queue(stop, (error) => {
    if ((error as Error).name !== 'AbortError') failure.value = asFailure(error)
  })
  const months = Array.from({ length: 12 }, (_, at) => monthOf(monthsFrom(now, at - 11)))
  const current = { from_date: monthOf(now).from, to_date: now }
  const year = { from_date: monthsFrom(now, -11), to_date: now }
  const ask = (id: string, values: Values, view: View = {}) => {
    const report = reportOf(id)
    if (report === undefined) throw new Failure(`The report ${id} is not there for you.`, 403)
    return totalsOf(report, values, view, stop).then(({ row }) => row)
  }
  const rowsOf = (id: string, values: Values, view: View = {}, most = 20_000) => {
    const report = reportOf(id)
    if (report === undefined) throw new Failure(`The report ${id} is not there for you.`, 403)
    return allRows(report, values, view, { most, signal: stop })
  }
  const may = (...ids: string[]) => ids.every((id) => reportOf(id) !== undefined)
  const text = (row: Row, field: string) => String(row[field] ?? '0')
  const monthName = (from: string) => monthInWords(from).replace(/ \d\d(\d\d)$/, ' $1')
  const empty = (): Point[] => months.map(({ from }) => ({ label: monthName(from), value: undefined }))
  const tile = (about: Omit<Tile, 'value' | 'before' | 'note' | 'trend'>): Tile => ({
    ...about,
    value: signal(undefined),
    before: signal(undefined),
    note: signal(undefined),
    trend: signal(empty()),
  })
  const put = (points: Signal<readonly Point[]>, at: number, value: string, href?: string) => {
    points.value = points.value.map((point, i) => (i === at ? { ...point, value, href } : point))
  }
  /** Month by month, the newest first. */
  const eachMonth = (work: (range: { from_date: string; to_date: string }, at: number) => Promise<void>) => {
    for (let at = months.length - 1; at >= 0; at--) {
      const { from, to } = months[at] as { from: string; to: string }
      run(() => work({ from_date: from, to_date: to }, at))
    }
  }

  const FG = 'inventory.fg-stock-status'
  const MAT = 'inventory.mat-stock-status'
  const MARGIN = 'sales.gross-margin'
  const ORDERS = 'sales.sales-orders'
  const DEMAND = 'sales.demand-status'
  const PENDING = 'partner.pending-deliveries'
  const BATCHES = 'production.batches'
  const SNAPSHOT = 'partner.invetory-snapshot'
  const MASTER = 'partner.material-master'
  const margin = { type: 'CONSOLIDATED', tax: '0', source: 'INV' }
  const isOpen = ['order_status=CREATED|PARTIAL ISSUED']
  const overdue = ['days_no<0']

  const stockTile = tile({
    title: 'Finished goods',
    needs: [FG],
    href: reportUrl(FG, { type: 'ALL', tax: '0', ...current }, { sort: '-final_value' }),
  })
  const salesTile = tile({
    title: 'Sales this month',
    needs: [MARGIN],
    href: reportUrl(MARGIN, { ...margin, ...current }, { sort: '-total_sale' }),
  })
  const marginTile = tile({
    title: 'Margin this month',
    needs: [MARGIN],
    href: reportUrl(MARGIN, { ...margin, ...current }, { sort: '-profit' }),
  })
  const ordersTile = tile({ title: 'Open orders', needs: [ORDERS], href: reportUrl(ORDERS, year, { filter: isOpen }) })
  const overdueTile = tile({
    title: 'Overdue deliveries',
    needs: [PENDING],
    href: reportUrl(PENDING, year, { filter: overdue, sort: 'days_no' }),
  })
  const yieldTile = tile({
    title: 'Yield this month',
    needs: [BATCHES],
    unit: '%',
    href: reportUrl(BATCHES, current, { sort: '-wastage' }),
  })

  /** Finished goods and both kinds of material, at the end of a range and before it. */
  const stockAt = async (range: { from_date: string; to_date: string }) => {
    const [goods, raw, packing] = await Promise.all([
      ask(FG, { type: 'ALL', tax: '0', ...range }),
      ask(MAT, { type: 'RAW', ...range }),
      ask(MAT, { type: 'PCK', ...range }),
    ])
    return {
      goods: text(goods, 'final_value'),
      materials: add(text(raw, 'Closing_val'), text(packing, 'Closing_val')),
      before: text(goods, 'Qty_Value'),
    }
  }
  const stock = signal<readonly Series[]>([
    { name: 'Finished goods', points: empty() },
    { name: 'Materials', points: empty() },
  ])
  const sales = signal<readonly Series[]>([
    { name: 'Sales', points: empty() },
    { name: 'Margin', points: empty() },
  ])
  const putSeries = (into: Signal<readonly Series[]>, which: number, at: number, value: string, href: string) => {
    into.value = into.value.map((one, i) =>
      i === which
        ? { ...one, points: one.points.map((point, j) => (j === at ? { ...point, value, href } : point)) }
        : one,
    )
  }
  // This month so far is compared with as many days of the month before.
  const last = monthOf(monthsFrom(now, -1))
  const until = `${last.from.slice(0, 8)}${now.slice(8)}`
  const soFar = { from_date: last.from, to_date: until < last.to ? until : last.to }
  const before = rangeInWords({ from: soFar.from_date, to: soFar.to_date })
    .replace(/ \d{4}$/, '')
    .replaceAll(' – ', '–')
  const lastDay = daysFrom(current.from_date, -1)

  if (may(FG, MAT))
    run(async () => {
      const { goods, before } = await stockAt(current)
      stockTile.value.value = goods
      stockTile.before.value = { label: inWords(lastDay).replace(/ \d{4}$/, ''), value: before }
    })
  if (may(MARGIN))
    run(async () => {
      const row = await ask(MARGIN, { ...margin, ...current })
      salesTile.value.value = text(row, 'total_sale')
      marginTile.value.value = text(row, 'profit')
      const then = await ask(MARGIN, { ...margin, ...soFar })
      salesTile.before.value = { label: before, value: text(then, 'total_sale') }
      marginTile.before.value = { label: before, value: text(then, 'profit') }
    })
  if (may(ORDERS))
    run(async () => {
      ordersTile.value.value = text(await ask(ORDERS, year, { filter: isOpen }), 'rows')
      const old = await ask(ORDERS, year, { filter: [...isOpen, `order_date<${daysFrom(now, -30)}`] })
      ordersTile.note.value = `${text(old, 'rows')} older than 30 days`
    })
  const overdueList = list('Overdue from vendors', 'Every vendor is on time.', [PENDING])
  if (may(PENDING))
    run(async () => {
      const { rows, total } = await rowsOf(PENDING, year, { filter: overdue, sort: 'days_no' }, 5000)
      overdueTile.value.value = String(total)
      months.forEach(({ from, to }, at) => {
        const count = rows.filter(
          (row) => text(row, 'delivery_date') >= from && text(row, 'delivery_date') <= to,
        ).length
        put(overdueTile.trend, at, String(count))
      })
      if (rows[0] !== undefined) overdueTile.note.value = `up to ${negated(text(rows[0], 'days_no'))} days late`
      overdueList.total.value = total
      overdueList.href.value = overdueTile.href
      overdueList.lines.value = rows.slice(0, SHOWN).map((row) => ({
        label: text(row, 'product_name'),
        detail: `${text(row, 'po_no')} · ${text(row, 'seller_name')} · due ${text(row, 'delivery_date')}`,
        amount: negated(text(row, 'days_no')),
        unit: 'days late',
      }))
    })
  if (may(BATCHES)) {
    const yieldIn = async (range: Values) => {
      const row = await ask(BATCHES, range)
      return Number(row['batch_qty']) === 0
        ? undefined
        : ((100 * Number(row['actual_qty'])) / Number(row['batch_qty'])).toFixed(2)
    }
    run(async () => {
      yieldTile.value.value = (await yieldIn(current)) ?? '0'
      const then = await yieldIn(soFar)
      if (then !== undefined) yieldTile.before.value = { label: before, value: then }
    })
    eachMonth(async (range, at) => {
      const value = await yieldIn(range)
      if (value === undefined) return
      put(yieldTile.trend, at, value)
    })
  }

  const uncovered = list('Stock cannot cover', 'Stock covers every open order.', [DEMAND, FG])
  if (may(DEMAND, FG))
    run(async () => {
      const [demand, goods] = await Promise.all([
        rowsOf(DEMAND, { type: 'CONSOLIDATED', ...year }),
        rowsOf(FG, { type: 'ALL', tax: '0', from_date: now, to_date: now }),
      ])
      const there = new Map(
        goods.rows.map((row) => [`${row['Product_sku']}\n${row['warehouse']}`, text(row, 'Closing_active_qty')]),
      )
      const short = demand.rows
        .map((row) => ({
          row,
          gap: add(text(row, 'Remaining_qty'), negated(there.get(`${row['product_sku']}\n${row['warehouse']}`) ?? '0')),
        }))
        .filter(({ gap }) => compare(gap, '0') > 0)
        .sort((a, b) => compare(b.gap, a.gap))
      const skus = [...new Set(short.map(({ row }) => text(row, 'product_sku')))].slice(0, 30)
      uncovered.total.value = short.length
      uncovered.href.value = reportUrl(
        DEMAND,
        { type: 'CONSOLIDATED', ...year },
        skus.length === 0
          ? {}
          : {
              filter: [filterText({ field: 'product_sku', operator: '=', value: skus.map(literal).join('|') })],
              sort: '-Remaining_qty',
            },
      )
      uncovered.lines.value = short.slice(0, SHOWN).map(({ row, gap }) => ({
        label: text(row, 'product_name'),
        detail: `${text(row, 'product_sku')} · ${text(row, 'warehouse')}`,
        amount: gap,
        unit: `${text(row, 'UoM')} short`,
      }))
    })
  const expiring = list('Expiring within 60 days', 'Nothing in stock expires within 60 days.', [SNAPSHOT])
  if (may(SNAPSHOT))
    run(async () => {
      const view = {
        filter: [`expiry_date>=${now}`, `expiry_date<=${daysFrom(now, 60)}`, 'Available_qty>0'],
        sort: 'expiry_date',
      }
      const { rows, total } = await rowsOf(SNAPSHOT, { date: now }, view, SHOWN)
      expiring.total.value = total
      expiring.href.value = reportUrl(SNAPSHOT, { date: now }, view)
      expiring.lines.value = rows.map((row) => ({
        label: text(row, 'product_name'),
        detail: `batch ${text(row, 'batch_no')} · ${text(row, 'expiry_date')}`,
        amount: String(daysBetween(now, text(row, 'expiry_date'))),
        unit: 'days left',
      }))
    })
  const reorder = list('Under reorder level', 'Every item is above its reorder level.', [MASTER])
  if (may(MASTER))
    run(async () => {
      const view = { filter: ['inStockQuantity<@reorder_level'], sort: 'inStockQuantity' }
      const { rows, total } = await rowsOf(MASTER, { item_type: 'MAT' }, view, SHOWN)
      reorder.total.value = total
      reorder.href.value = reportUrl(MASTER, { item_type: 'MAT' }, view)
      reorder.lines.value = rows.map((row) => ({
        label: text(row, 'product_name'),
        detail: `${text(row, 'product_sku')} · reorder at ${text(row, 'reorder_level').replace(/\.?0+$/, '')}`,
        amount: text(row, 'inStockQuantity'),
        unit: text(row, 'uom'),
      }))
    })

  const ages = signal<readonly { label: string; value: string; href: string }[] | undefined>(undefined)
  if (may(ORDERS))
    run(async () => {
      const limits = [0, 7, 30, 90, 366]
      ages.value = await Promise.all(
        limits.slice(1).map(async (to, at) => {
          const from = limits[at] as number
          const filter = [...isOpen, `order_date<=${daysFrom(now, -from)}`, `order_date>${daysFrom(now, -to)}`]
          const row = await ask(ORDERS, year, { filter })
          const label = to > 365 ? `over ${from} days` : `${from} – ${to - 1} days`
          return { label, value: text(row, 'rows'), href: reportUrl(ORDERS, year, { filter, sort: 'order_date' }) }
        }),
      )
    })
  if (may(MARGIN))
    eachMonth(async (range, at) => {
      const row = await ask(MARGIN, { ...margin, ...range })
      const href = reportUrl(MARGIN, { ...margin, ...range })
      // A month that has just begun would look like a fall.
      if (at < months.length - 1) {
        put(salesTile.trend, at, text(row, 'total_sale'), href)
        put(marginTile.trend, at, text(row, 'profit'), href)
      }
      putSeries(sales, 0, at, text(row, 'total_sale'), href)
      putSeries(sales, 1, at, text(row, 'profit'), href)
    })
  if (may(FG, MAT))
    eachMonth(async (range, at) => {
      const { goods, materials } = await stockAt(range)
      const href = reportUrl(FG, { type: 'ALL', tax: '0', ...range })
      put(stockTile.trend, at, goods, href)
      putSeries(stock, 0, at, goods, href)
      putSeries(stock, 1, at, materials, reportUrl(MAT, { type: 'RAW', ...range }))
    })
  if (may(ORDERS))
    eachMonth(async (range, at) => {
      const all = text(await ask(ORDERS, range, { filter: isOpen }), 'rows')
      put(ordersTile.trend, at, all, reportUrl(ORDERS, range, { filter: isOpen }))
    })

  return {
    tiles: [stockTile, salesTile, marginTile, ordersTile, overdueTile, yieldTile].filter(({ needs }) => may(...needs)),
    ...{ stock, sales, ages, failure },
    lists: [uncovered, overdueList, expiring, reorder].filter(({ needs }) => may(...needs)),
    stop: () => controller.abort(),
  }
}
