/** Random loads into the books of books.ts. */
import fc from 'fast-check'

/** Rows that break the books in every way, and some that repair them. */
const pool: Record<string, string[]> = {
  items: [
    'CMB1,Box,COMBO,,PCS,',
    'CMB1,Box,FG,,PCS,',
    'FG1,Ghee,SFG,,JAR,',
    'FG2,Paneer,SRV,,KG,',
    'FG2,Paneer,FG,,KG,',
  ],
  item_units: ['RM1,CAN,10', 'RM1,CAN,2', 'FG2,CAN,4', 'FG1,CASE,12', 'FG1,CASE,6', 'CMB1,CASE,2'],
  combos: ['CMB1,FG1,1', 'CMB1,FG1,2', 'CMB1,SFG1,1', 'CMB1,RM1,3', 'CMB2,CMB1,1', 'CMB1,CMB2,1', 'CMB2,FG2,1'],
  bom: ['FG2,SFG1,1', 'SFG1,RM1,2', 'RM1,FG2,1', 'SFG1,FG2,1', 'FG1,RM1,1'],
  purchase_order_items: [
    'PO1,1,RM1,5,2,10,0,10',
    'PO1,1,FG2,5,2,10,0,10',
    'PO1,2,FG2,5,2,10,0,10',
    'PO2,1,FG2,5,2,10,0,10',
    'PO2,1,RM1,5,2,10,0,10,CAN',
  ],
  goods_receipts: [
    'G1,PO1,2024-03-04,Plant',
    'G1,PO1,2024-03-04,Depot',
    'G1,PO2,2024-03-04,Plant',
    'G2,PO2,2024-03-04,Depot',
  ],
  goods_receipt_items: [
    ...['G1,PO1,1,1,5,4,1,2,8,0,8', 'G1,PO1,1,1,5,5,0,2,8,0,8', 'G1,PO1,1,2,5,4,1,2,8,0,8'],
    ...['G2,PO2,1,1,5,5,0,2,10,0,10', 'G1,PO2,1,1,5,4,0,2,10,0,10', 'G2,PO2,2,2,1,1,0,0,0,0,0'],
    ...['G1,PO1,1,1,5,4,1,2,8,0,8,CAN', 'G2,PO2,1,1,5,5,0,2,10,0,10,CAN'],
  ],
  batches: [
    ...['FG1,B1,PRODUCED,2024-03-05,Plant,10,1', 'FG1,B1,PRODUCED,2024-03-05,Plant,10,3', 'FG1,B1,MANUAL,,,,'],
    ...[
      'RM1,L1,PROCURED,,,,',
      'RM1,L1,PRODUCED,2024-03-05,Plant,7,0',
      'FG2,B2,PRODUCED,2024-03-05,Plant,7,0',
      'FG2,B2,MANUAL,,,,',
    ],
  ],
  consumption: ['FG1,B1,1,RM1,,3,6,0.72', 'FG1,B1,1,SFG1,,3,6,0.72', 'FG1,B1,2,,Manpower,0,5,0', 'FG2,B2,1,RM1,,1,1,0'],
  sales_order_items: [
    ...['SO1,1,FG1,2,10,10,20,2.4,22.4', 'SO1,1,FG1,1,10,10,20,2.4,22.4', 'SO1,1,CMB1,2,10,10,20,2.4,22.4'],
    ...['SO2,1,CMB1,2,10,10,20,0,20', 'SO2,1,CMB1,1,10,10,20,0,20', 'SO2,1,FG1,2,10,10,20,0,20'],
    ...['SO1,1,FG1,2,10,10,20,2.4,22.4,CASE', 'SO1,1,FG2,2,10,10,20,2.4,22.4'],
  ],
  returns: [
    'SO1,R1,1,2024-03-09,RTO,1,0,10,1.2',
    'SO1,R1,1,2024-03-10,RTO,2,0,10,1.2',
    'SO2,R2,1,2024-03-10,RTV,1,0,0,0',
    'SO1,R1,1,2024-03-09,RTO,1,0,10,1.2,CASE',
  ],
  invoices: [
    'I1,SO1,2024-03-07 09:30:00,2024-04-07,20,2.4,22.4,22.4',
    'I1,SO2,2024-03-07 09:30:00,2024-04-07,20,2.4,22.4,22.4',
  ],
  invoice_items: [
    'I1,SO1,1,1,2,10,20,12,2.4,,,,,22.4',
    'I1,SO1,1,1,3,10,20,12,2.4,,,,,22.4',
    'I1,SO2,1,1,1,10,20,12,2.4,,,,,22.4',
    'I1,SO1,1,1,2,10,20,12,2.4,,,,,22.4,CASE',
  ],
  stock_movements: [
    'M1,2024-03-04,purchase_receipt,RM1,Plant,,4,8,8.96,,,,,PO1,G1,',
    'M1,2024-03-04,purchase_receipt,FG2,Plant,,4,8,9,,,,,PO1,G1,',
    'M1,2024-03-04,purchase_receipt,FG2,Depot,,4,8,9,,,,,PO1,G1,',
    'M1,2024-03-04,purchase_receipt,FG2,Plant,B2,4,8,9,,,,,PO2,G1,',
    'M2,2024-03-05,consumption,RM1,Plant,,3,6,6.72,,,FG1,B1,,,',
    'M2,2024-03-05,consumption,RM1,Plant,L1,1,1,1,,,FG2,B2,,,',
    'M3,2024-03-05,production_receipt,FG1,Plant,B1,9,11,12,,,,,,,',
    'M3,2024-04-05,production_receipt,FG2,Plant,B2,8,11,12,,,,,,,',
    'M4,2024-03-06,issue,FG1,Plant,,2,2,3,SO1,1,,,,,',
    'M4,2024-02-06,issue,SFG1,Plant,,2,2,3,SO2,1,,,,,',
    'M4,2024-03-06,issue,CMB1,Plant,,1,2,3,SO2,1,,,,,',
    'M5,2024-03-09,sales_return,FG1,Plant,B1,1,1,2,SO1,1,,,,,',
    'M5,2024-03-10,sales_return,RM1,Plant,,1,1,2,SO2,1,,,,,',
    'M7,2024-03-04,purchase_receipt,RM1,Plant,L1,7,7,7,,,,,,,',
    'M8,2024-05-04,hold,SFG1,Plant,,9,9,9,,,,,,,',
    'M8,2024-03-04,trash,RM1,Plant,,5,9,9,,,,,,,',
    'M9,2024-03-06,issue,FG1,Plant,,4,4,4,SO2,1,,,,,',
    'M9,2024-03-06,issue,FG1,Plant,,3,4,4,SO1,1,,,,,',
    'M10,2024-03-06,issue,SFG1,Plant,,1,2,2,SO2,1,,,,,',
    'M1,2024-03-04,purchase_receipt,RM1,Plant,,4,8,8.96,,,,,PO1,G1,,CAN',
    'M2,2024-03-05,consumption,RM1,Plant,,3,6,6.72,,,FG1,B1,,,,CAN',
    'M3,2024-03-05,production_receipt,FG1,Plant,B1,9,11,12,,,,,,,,CASE',
    'M4,2024-03-06,issue,FG1,Plant,,1,2,3,SO1,1,,,,,,CASE',
    'M5,2024-03-09,sales_return,FG1,Plant,B1,1,1,2,SO1,1,,,,,,CASE',
    'M8,2024-03-04,trash,RM1,Plant,,5,9,9,,,,,,,,L',
    'M11,2024-04-04,hold,FG2,Plant,,1,9,9,,,,,,,,CAN',
  ],
}
const keyOf = (entity: string, row: string) =>
  row
    .split(',')
    .slice(0, keys[entity] ?? 1)
    .join()
const keys: Record<string, number> = {
  item_units: 2,
  combos: 2,
  bom: 2,
  purchase_order_items: 2,
  batches: 2,
  consumption: 3,
  sales_order_items: 2,
  returns: 3,
}
const rowsOf = (entity: string) =>
  fc
    .subarray(pool[entity] as string[], { minLength: 1, maxLength: 2 })
    .map((rows) => [...new Map(rows.map((row) => [keyOf(entity, row), row])).values()])
/** Rows of one or two entities, some loaded with --replace. */
export const anyLoad = fc.subarray(Object.keys(pool), { minLength: 1, maxLength: 2 }).chain((names) =>
  fc.record({
    rows: fc.record(Object.fromEntries(names.map((name) => [name, rowsOf(name)]))),
    replace: fc.oneof(
      { weight: 2, arbitrary: fc.constant<string[]>([]) },
      { arbitrary: fc.subarray(names), weight: 1 },
    ),
  }),
)
