/** A small company as import files that load without an error or a warning; tests break one thing at a time. */

export const KEY = '0123456789abcdef0123456789abcdef'

/** One file per entity. */
export const good: Record<string, string> = {
  'account.csv': 'name,time_zone\nTest Mills,Asia/Kolkata\n',
  'warehouses.csv': `key,location\n${KEY},Plant\n`,
  'items.csv':
    'sku,name,type,material_kind,unit,mrp\nFG1,Ghee,FG,,JAR,10.50\nRM1,Milk,MAT,RAW,L,\nCMB1,Box,COMBO,,PCS,\n',
  'bom.csv': 'product,component,qty\nFG1,RM1,0.0000000001\n',
  'combos.csv': 'combo,component,qty\nCMB1,FG1,2\n',
  'vendors.csv': 'code,name\nV1,Vendor\n',
  'customers.csv': 'code,name\nC1,Customer\n',
  'purchase_orders.csv':
    'po_no,po_date,delivery_date,vendor_code,warehouse,taxable_amt,tax_amt,total_amt\nPO1,2024-02-29,2024-03-05,V1,Plant,10,1.20,11.20\n',
  'purchase_order_items.csv': 'po_no,line_no,sku,qty,rate,taxable_amt,tax_amt,total_amt\nPO1,1,RM1,5,2,10,1.20,11.20\n',
  'approvals.csv':
    'po_no,step,group_name,status,approver,action_at,approvers\nPO1,1,Finance,Approved,Asha,2024-03-01 10:00:00,Asha|Vikram\n',
  'goods_receipts.csv': 'grn_no,po_no,receipt_date,warehouse\nG1,PO1,2024-03-04,Plant\n',
  'goods_receipt_items.csv':
    'grn_no,po_no,line_no,po_line_no,received_qty,accepted_qty,rejected_qty,rate,taxable_amt,tax_amt,total_amt\nG1,PO1,1,1,5,4,1,2,8,0.96,8.96\n',
  'work_orders.csv':
    'work_order_no,sku,warehouse,status,planned_qty,start_date,due_date\nWO1,FG1,Plant,Open,10,2024-03-05,2024-03-06\n',
  'work_order_items.csv': 'work_order_no,line_no,sku,kind,planned_qty\nWO1,1,RM1,Component,3\n',
  'batches.csv': 'sku,batch_no,source,batch_date,warehouse,qty,wastage\nFG1,B1,PRODUCED,2024-03-05,Plant,10,1\n',
  'consumption.csv':
    'sku,batch_no,line_no,material,cost_head,qty_bom,val_bom,tax_val\nFG1,B1,1,RM1,,3,6,0.72\nFG1,B1,2,,Manpower,0,5,0\n',
  'sales_orders.csv':
    'order_no,order_type,order_date,customer_code,warehouse,taxable_amt,tax_amt,total_amt\nSO1,Online,2024-03-06,C1,Plant,20,2.4,22.4\n',
  'sales_order_items.csv':
    'order_no,line_no,sku,qty,rate,effective_rate,taxable_amt,tax_amt,total_amt\nSO1,1,FG1,2,10,10,20,2.4,22.4\n',
  'returns.csv':
    'order_no,return_no,order_line_no,return_date,kind,usable_qty,unusable_qty,taxable_amt,tax_amt\nSO1,R1,1,2024-03-09,RTO,1,0,10,1.2\n',
  'invoices.csv':
    'invoice_no,order_no,invoice_at,due_date,sub_total,total_tax,total_amt,final_amt\nI1,SO1,2024-03-07 09:30:00,2024-04-07,20,2.4,22.4,22.4\n',
  'invoice_items.csv':
    'invoice_no,order_no,line_no,order_line_no,qty,rate,taxable_value,igst_rate,igst_amt,sgst_rate,sgst_amt,cgst_rate,cgst_amt,total_value\nI1,SO1,1,1,2,10,20,12,2.4,,,,,22.4\n',
  'stock_movements.csv':
    'movement_no,movement_date,kind,sku,warehouse,batch_no,qty,val,val_tax,order_no,order_line_no,for_sku,for_batch_no,po_no,grn_no,transfer_charge\n' +
    'M1,2024-03-04,purchase_receipt,RM1,Plant,,4,8,8.96,,,,,PO1,G1,\n' +
    `M2,2024-03-05,consumption,RM1,${KEY},,3,6,6.72,,,FG1,B1,,,\n` +
    'M3,2024-03-05,production_receipt,FG1,Plant,B1,9,11,12,,,,,,,\n' +
    'M4,2024-03-06,issue,FG1,Plant,B1,2,2.4,2.7,SO1,1,,,,,\n' +
    'M5,2024-03-09,sales_return,FG1,Plant,B1,1,1.2,1.35,SO1,1,,,,,\n',
}

export const MV = 'stock_movements.csv'

/** Replaces a text in a good file. */
export const change = (file: string, from: string, to: string): Record<string, string> => ({
  [file]: (good[file] as string).replace(from, to),
})
