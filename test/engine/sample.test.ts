/** The sample company: every report equals the oracle, its data is consistent, and it has every state that reports can show. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { writeFiles } from '../../src/demo/files.js'
import { loadSample, sampleCompany } from '../../src/demo/sample.js'
import { entities } from '../../src/import/entities.js'
import { type LoadResult, load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import type { Question } from '../../src/kernel/answer/editions.js'
import { readOutline, writeOutline } from '../../src/kernel/answer/outline.js'
import { runPage, runWhole, type Start } from '../../src/kernel/answer/statement.js'
import { WHOLE } from '../../src/kernel/report/rights.js'
import { kinds } from '../../src/ledger/kinds.js'
import { reports } from '../../src/reports/index.js'
import { readState } from '../../src/store/versions.js'
import { closeExample, examplesOf } from '../../src/surfaces/docs/examples.js'
import { examples } from '../../src/surfaces/rest/examples.js'
import { ofOneState, oracle } from '../oracle/index.js'
import { databaseForThisTest, engine } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { codesOf, requestsFor } from '../setup/requests.js'
import { companyOf, sampleRows } from '../setup/sample.js'
import { type Service, startService } from '../setup/service.js'
import { stringsOf } from '../setup/texts.js'
import { inLongTier, long } from '../setup/tier.js'

/** The quick tier loads a fifth of the sample, which lacks some kinds of rows. */
const atFullSize = (name: string, work: () => void) =>
  long && engine === 'server'
    ? describe(name, work)
    : it(name, (context) => context.skip('in the long tier, on a server: needs the whole sample'))

const TODAY = '2026-06-30'
let service: Service
let loaded: LoadResult
beforeAll(async () => {
  service = await startService()
  loaded = await loadSample(service.database, { today: TODAY, ...(!long && { scale: 0.2 }) })
})
afterAll(() => service.close())

const count = async (statement: string) => Number((await service.db.unsafe(`select count(*) as n ${statement}`))[0]?.n)

it('loads without an error or a warning, and passes verify', async () => {
  expect(loaded.errors).toEqual({ count: 0, first: [] })
  expect(loaded.warnings).toEqual({ count: 0, kinds: [], first: [] })
  expect(await verify(service.database, { rebuild: false })).toEqual([])
})

inLongTier('pages of a listing, found by key in its outline, have the same records as the whole report', async () => {
  const view = WHOLE
  const folder = tempFolder()
  const listings = reports.filter((report) => [...report.shapes.values()].some((shape) => shape.listing))
  let several = 0
  const { id: version } = await readState(service.db)
  for (const report of listings) {
    const range = { from_date: '2025-01-01', to_date: TODAY }
    const values = report.shapedBy === undefined ? range : { ...range, [report.shapedBy]: 'DETAILED' }
    const all = await stringsOf(runWhole(service.db, report, values, view))
    if (all.length <= 200) continue
    several++
    const path = join(folder, report.id)
    const file = await open(path, 'w')
    await writeOutline(file, service.db, { report, values } as unknown as Question)
    await file.close()
    const outline = await readOutline(path)
    expect(outline?.total).toBe(all.length)
    for (const [before, size] of [
      [0, 7],
      [100, 20],
      [180, 20],
      [199, 300],
      [all.length - 1, 1],
      [Math.floor(all.length / 2), 1000],
    ] as const)
      expect(
        await stringsOf([
          await runPage(service.db, report, values, view, outline?.start(before) as Start, size, version),
        ]),
      ).toEqual(all.slice(before, before + size))
  }
  expect(several).toBeGreaterThan(5)
})

it('every report equals the oracle', async () => {
  const small = { today: TODAY, ...(long ? { scale: 0.2, months: 5 } : { scale: 0.1, months: 2 }) }
  const company = companyOf(await sampleRows(small))
  const service = await startService()
  onTestFinished(() => service.close())
  await loadSample(service.database, small)
  const ranges = [
    { from_date: long ? '2026-01-17' : '2026-05-17', to_date: TODAY },
    ...(long ? [{ from_date: '2026-06-01', to_date: TODAY }] : []),
  ]
  const codes = { ...codesOf(company, 2), vendor_code: ['V0007'], limit: [50, '7'] }
  for (const report of ofOneState)
    for (const range of ranges)
      for (const body of requestsFor(report, range, codes)) {
        const expected = oracle[report.id]?.(company, body)
        const pages = []
        for (let page = 1; ; page++) {
          const answer = await service.call({
            path: report.path,
            body,
            query: { page, 'per-page': 5000, fields: 'all' },
          })
          expect(answer.statusCode, answer.body).toBe(200)
          const { data, _links } = answer.json()
          pages.push(...data)
          if (_links.next === undefined) break
        }
        expect({ report: report.id, body, data: pages }).toEqual({ report: report.id, body, data: expected })
      }
})

atFullSize('the documentation', () => {
  it('has examples that are records of the sample; if not, run npm run docs', async () => {
    await closeExample(service.database)
    expect(examples).toEqual(await examplesOf(service.db, reports))
  })
})

atFullSize('the sample has', () => {
  const cases: [string, number, string][] = [
    ['warehouses', 6, 'from warehouse'],
    ['a warehouse without a city', 1, 'from warehouse where city is null and pincode is null and gstn is null'],
    ['a warehouse with an empty registration', 1, "from warehouse where gstn = ''"],
    ['finished goods, combos and semi-finished goods', 55, "from item where type in ('FG', 'COMBO', 'SFG')"],
    ['combos', 5, "from item where type = 'COMBO'"],
    ['semi-finished goods', 6, "from item where type = 'SFG'"],
    ['materials and services', 140, "from item where type in ('MAT', 'SRV')"],
    ['services', 6, "from item where type = 'SRV'"],
    ['discontinued items', 1, "from item where not active and type = 'FG'"],
    [
      'items that never moved',
      5,
      "from item i where type <> 'SRV' and not exists (select from stock_movement m where m.item_id = i.id)",
    ],
    [
      'recipes of two levels',
      30,
      "from bom_line b join item i on i.id = b.component_id where i.type = 'SFG' and exists (select from bom_line c where c.product_id = b.component_id)",
    ],
    ['vendors', 40, 'from vendor'],
    ['customers', 120, 'from customer'],
    ['customers without a contact', 20, 'from customer where contact_person is null'],
    ...Object.keys(kinds).map((kind): [string, number, string] => [
      `movements: ${kind}`,
      20,
      `from stock_movement where kind = '${kind}'`,
    ]),
    ['transfers with charges', 1000, "from stock_movement where kind = 'transfer_in' and transfer_charge > 0"],
    ...['CREATED', 'PARTIAL RECEIVED', 'RECEIVED', 'CLOSED', 'CANCELLED'].map((status): [string, number, string] => [
      `purchase orders: ${status}`,
      2,
      `from purchase_order_status where po_status = '${status}'`,
    ]),
    ...['Under Approval', 'Approved', 'Rejected', 'Not Required'].map((status): [string, number, string] => [
      `purchase orders: ${status}`,
      2,
      `from purchase_order_status where approval_status = '${status}'`,
    ]),
    ['approvals that wait', 2, "from purchase_order_approval where status = 'Pending'"],
    [
      'late receipts',
      100,
      'from goods_receipt g join purchase_order p using (po_no) where g.receipt_date > p.delivery_date',
    ],
    [
      'overdue orders that are open',
      2,
      `from purchase_order p join purchase_order_status s using (po_no) where s.status_code in (1, 2) and delivery_date < '${TODAY}'`,
    ],
    ['rejected quantities', 20, 'from goods_receipt_line where rejected_qty > 0'],
    ...["= 'QC Pass'", "= 'QC Fail'", "= 'QC Hold'", 'is null'].map((status): [string, number, string] => [
      `produced batches: QC ${status}`,
      1,
      `from batch where source = 'PRODUCED' and qc_status ${status}`,
    ]),
    [
      'produced batches that are not in stock yet',
      1,
      `from batch b where source = 'PRODUCED' and not exists (select from stock_movement m where m.item_id = b.item_id
       and m.batch_no = b.batch_no) and exists (select from item i where i.id = b.item_id and i.type = 'FG')`,
    ],
    ['procured batches', 30, "from batch where source = 'PROCURED'"],
    ['batches without a date of manufacture', 10, 'from batch where mfg_date is null'],
    ['batches without an expiry', 5, 'from batch where expiry_date is null'],
    ...['Other Costs', 'Taxes', 'Manpower', 'Transport'].map((head): [string, number, string] => [
      `other costs: ${head}`,
      20,
      `from consumption where cost_head = '${head}'`,
    ]),
    ['materials used in addition', 100, 'from consumption where qty_short > 0'],
    ['materials returned', 50, 'from consumption where qty_ret > 0'],
    ['online orders', 2000, "from sales_order where order_type = 'Online' and channel_id is not null"],
    ['orders of shops', 2000, "from sales_order where order_type = 'B2B/Retail' and po_no is not null"],
    ['orders with another shipping address', 50, 'from sales_order where shipping_city is not null'],
    ['free orders', 50, 'from sales_order where free_of_cost and total_amt = 0'],
    ['cancelled orders', 50, "from sales_order where state = 'CANCELLED'"],
    [
      'orders of combos issued by component',
      500,
      `from sales_order_line l join item i on i.id = l.item_id and i.type = 'COMBO'
       join stock_movement m on m.order_no = l.order_no and m.order_line_no = l.line_no and m.item_id <> l.item_id`,
    ],
    [
      'lines issued on several days',
      300,
      `from (select order_no, order_line_no from stock_movement where kind = 'issue'
        group by 1, 2 having count(distinct movement_date) > 1) d`,
    ],
    [
      'lines partly issued',
      20,
      `from (select l.order_no, l.line_no from sales_order_line l join stock_movement m on m.order_no = l.order_no
        and m.order_line_no = l.line_no and m.item_id = l.item_id and m.kind = 'issue'
        group by 1, 2 having sum(m.qty) < max(l.qty)) d`,
    ],
    [
      'lines not issued in open orders',
      20,
      `from sales_order_line l join sales_order o using (order_no) where o.state = 'OPEN' and not exists
       (select from stock_movement m where m.order_no = l.order_no and m.order_line_no = l.line_no)`,
    ],
    ...['RTO', 'RTV'].flatMap((kind): [string, number, string][] => [
      [`usable returns: ${kind}`, 20, `from sales_return where kind = '${kind}' and usable_qty > 0`],
      [`unusable returns: ${kind}`, 20, `from sales_return where kind = '${kind}' and unusable_qty > 0`],
    ]),
    ['invoices', 5000, "from invoice where status = 'Submitted'"],
    ['cancelled invoices', 20, "from invoice where status = 'Cancelled'"],
    ['rounded invoices', 1000, 'from invoice where round_amt <> 0'],
    ['invoice lines between states', 2000, 'from invoice_line where igst_rate is not null'],
    ['invoice lines inside a state', 1000, 'from invoice_line where sgst_rate is not null'],
    [
      'a product sold below its cost',
      1,
      `from (select m.item_id from stock_movement m join sales_order_line l on l.order_no = m.order_no
         and l.line_no = m.order_line_no and l.item_id = m.item_id join sales_order o on o.order_no = l.order_no
        where m.kind = 'issue' and not o.free_of_cost group by 1 having sum(m.val) > sum(m.qty * l.effective_rate)) d`,
    ],
  ]
  for (const [what, least, statement] of cases)
    it(what, async () => {
      expect(await count(statement)).toBeGreaterThanOrEqual(least)
    })
})

describe('the sample is consistent:', () => {
  const nothing: [string, string][] = [
    [
      'amounts of order lines add up',
      'from sales_order_line where taxable_amt <> round(qty * rate, 2) - discount_amt or total_amt <> taxable_amt + tax_amt',
    ],
    [
      'amounts of orders are the sums of their lines',
      `from sales_order o join (select order_no, sum(taxable_amt) as taxable, sum(tax_amt) as tax from sales_order_line
         group by 1) l using (order_no) where o.taxable_amt <> l.taxable or o.tax_amt <> l.tax
         or o.total_amt <> o.taxable_amt + o.tax_amt + o.shipping_amt + o.adjustment_amt`,
    ],
    [
      'amounts of invoices are the sums of their lines',
      `from invoice i join (select invoice_no, sum(taxable_value) as taxable,
          sum(coalesce(igst_amt, 0) + coalesce(sgst_amt, 0) + coalesce(cgst_amt, 0)
              + coalesce((select sum((x ->> 'amount')::numeric) from jsonb_array_elements(taxes) x), 0)) as tax
          from invoice_line group by 1) l
         using (invoice_no) where i.sub_total <> l.taxable or i.total_tax <> l.tax
         or i.total_amt <> i.sub_total + i.total_tax + i.shipping + i.adjustment or i.final_amt <> i.total_amt + i.round_amt
         or i.final_amt <> trunc(i.final_amt)`,
    ],
    [
      'the invoices of a fully invoiced line add up to it exactly',
      `from sales_order_line l join (select x.order_no, x.order_line_no as line_no, sum(x.qty) as qty, sum(x.total_value) as total
          from invoice_line x join invoice i using (order_no, invoice_no) where i.status = 'Submitted' group by 1, 2) x
         using (order_no, line_no) where x.qty > l.qty or (x.qty = l.qty and x.total <> l.total_amt)`,
    ],
    [
      'IGST between states, SGST and CGST inside one, by place of supply',
      `from invoice_line l join invoice i using (order_no, invoice_no) join sales_order o using (order_no)
         join warehouse w on w.id = o.warehouse_id
        where (l.igst_rate is not null or l.taxes @> '[{"name": "IGST"}]') <> (case when w.gstn <> '' then w.state else 'Maharashtra' end <> i.place_of_supply)
           or l.sgst_amt <> l.cgst_amt`,
    ],
    [
      'an invoice follows its dispatch',
      `from invoice i where not exists (select from stock_movement m where m.order_no = i.order_no and m.kind = 'issue'
        and m.movement_date = i.invoice_at::date)`,
    ],
    [
      'an invoice is not before its order, and later ones have later numbers',
      `from invoice i join sales_order o using (order_no) where i.invoice_at < o.order_date + o.order_time
         or exists (select from invoice j where j.invoice_at > i.invoice_at and j.invoice_no < i.invoice_no
                     and j.invoice_at < i.invoice_at + interval '1 day' and left(j.invoice_no, 9) = left(i.invoice_no, 9))`,
    ],
    [
      'no expired batch is issued to a customer',
      `from stock_movement m join batch b on b.item_id = m.item_id and b.batch_no = m.batch_no
        where m.kind = 'issue' and m.movement_date > b.expiry_date`,
    ],
    [
      'no movement is later than the day of the sample',
      `from stock_movement where movement_date > '${TODAY}' or movement_date < '2024-12-01'`,
    ],
    [
      'no receipt belongs to an order that is rejected or under approval',
      "from goods_receipt g join purchase_order_status s using (po_no) where s.approval_status in ('Rejected', 'Under Approval')",
    ],
    [
      'stock without quantity has no value, and no stock is negative',
      `from stock_closing where qty = 0 and (val <> 0 or val_tax <> 0) or qty < 0 or val < 0`,
    ],
  ]
  for (const [what, statement] of nothing)
    it(what, async () => {
      expect(await count(statement)).toBe(0)
    })
})

inLongTier('import files of the sample load into an identical database', async () => {
  const small = { today: '2026-02-28', ...(long ? { scale: 0.3, months: 5 } : { scale: 0.2, months: 3 }), seed: 7 }
  const made = await databaseForThisTest()
  await loadSample(made, small)
  const folder = tempFolder()
  await writeFiles(sampleCompany(small), folder, () => {})
  const read = await databaseForThisTest()
  const derived = ['stock_closing', 'stock_flow', 'batch_closing']
  expect((await load(read, findFiles(folder))).committed).toBe(true)
  for (const table of [...entities.map((entity) => entity.table), ...derived]) {
    const rows = (database: typeof made) =>
      database.db.unsafe(`select t::text as row from ${table} t order by t::text collate "C"`)
    const expected = await rows(made)
    expect(expected.length, table).toBeGreaterThan(0)
    expect([...(await rows(read))], table).toEqual([...expected])
  }
})
