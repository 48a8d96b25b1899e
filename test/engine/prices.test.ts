/** Prices of one unit with up to 6 digits, in every report that shows them, and amounts with zeros after their last digit. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { problemLine } from '../../src/import/pipeline/problems.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { folderOf } from '../setup/files.js'
import { good } from '../setup/good-files.js'
import { type Service, startService } from '../setup/service.js'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const range = { from_date: '2024-01-01', to_date: '2024-12-31' }

it('a price keeps its digits, an amount drops trailing zeros, and a date is accepted as a time', async () => {
  const files = {
    ...good,
    'items.csv':
      'sku,name,type,material_kind,unit,mrp\nFG1,Ghee,FG,,JAR,10.333333\nRM1,Milk,MAT,RAW,L,\nCMB1,Box,COMBO,,PCS,7.5000\n',
    'purchase_order_items.csv':
      'po_no,line_no,sku,qty,rate,taxable_amt,tax_amt,total_amt\nPO1,1,RM1,5,1.999999,10.0000,1.20,11.2000\n',
    'goods_receipt_items.csv':
      'grn_no,po_no,line_no,po_line_no,received_qty,accepted_qty,rejected_qty,rate,taxable_amt,tax_amt,total_amt\nG1,PO1,1,1,5,4,1,2.00001,8,0.96,8.96\n',
    'sales_order_items.csv':
      'order_no,line_no,sku,qty,rate,effective_rate,mrp,taxable_amt,tax_amt,total_amt\nSO1,1,FG1,2,10.00005,9.123456,10.5005,20,2.4,22.4\n',
    'invoices.csv':
      'invoice_no,order_no,invoice_at,due_date,sub_total,total_tax,total_amt,final_amt\nI1,SO1,2024-03-07,2024-04-07 00:00:00.000,20,2.4,22.4,22.4\n',
    'invoice_items.csv':
      'invoice_no,order_no,line_no,order_line_no,qty,rate,taxable_value,igst_rate,igst_amt,total_value\nI1,SO1,1,1,2,10.0000010,20,12,2.4,22.4\n',
  }
  const { errors, warnings } = await load(service.database, findFiles(folderOf(files)))
  expect(errors.first.map(problemLine)).toEqual([])
  expect(warnings.count).toBe(0)

  const first = async (path: string, body: object) => (await service.call({ path, body })).json().data[0]
  const [purchased, received, ordered, invoiced, status, margin, listed] = [
    await first('/v1/purchase-orders/list', {}),
    await first('/v1/grn/list', range),
    await first('/v1/sales-orders', { method: 'month', ...range }),
    await first('/v1/sales/invoices', range),
    await first('/v1/sales/order-status', { version: 'WR', ...range }),
    await first('/v1/sales/gross-margin', { type: 'CUSTOMER', tax: '0', source: 'ORD', ...range }),
    (await service.call({ path: '/v1/partner/fg-item-master', body: { limit: 10 } })).json().data,
  ]
  expect(purchased).toMatchObject({ items: [{ rate: '1.999999', taxable_amt: '10.00', total_amt: '11.20' }] })
  expect(received).toMatchObject({ items: [{ rate: '2.00001' }] })
  expect(ordered).toMatchObject({ items: [{ mrp: '10.5005', rate: '10.00005', effetive_rate: '9.123456' }] })
  expect(invoiced).toMatchObject({ invoice_date: '2024-03-07 00:00:00', due_date: '2024-04-07' })
  expect(invoiced).toMatchObject({ items: [{ rate: '10.000001' }] })
  expect(status).toMatchObject({ rate: '10.00005' })
  expect(margin).toMatchObject({ MRP: '10.333333' })
  expect(listed.map(({ mrp }: { mrp: string }) => mrp).sort()).toEqual(['10.333333', '7.50'])
})

it('a filter compares all digits of a price', async () => {
  const filtered = async (filter: string) =>
    (await service.call({ path: '/v1/partner/fg-item-master', body: { limit: 10 }, query: { filter } })).json().data
      .length
  expect(await filtered('mrp=10.333333')).toBe(1)
  expect(await filtered('mrp>10.33333')).toBe(1)
  expect(await filtered('mrp=10.33')).toBe(0)
})
