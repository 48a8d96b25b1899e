-- The end of every fg-stock-status.*.sql: the records from their `figures`.
select i.primary_category, i.product_category as category_name, i.name as product_name, i.sku as "Product_sku", i.unit as "UoM",
       round(opening, 4)::text as "Opening_qty", round(opening_val, 4)::text as "Qty_Value",
       round(prd + pur + trf + oth, 4)::text as "Receipts_qty", round(prd, 4)::text as "Receipts_PRD_qty",
       round(pur, 4)::text as "Receipts_PUR_qty", round(trf, 4)::text as "Receipts_TRF_qty",
       round(oth, 4)::text as "Receipts_OTH_qty", round(returned, 4)::text as "Returned_qty",
       round(issued, 4)::text as "Issued_qty", round(trashed, 4)::text as "Trashed_qty",
       round(bad, 4)::text as "MovetoBad_qty", round(transferred, 4)::text as "Transfered_qty",
       round(unpacked, 4)::text as "UnPacked_qty", round(came, 4)::text as "ThatPeriod_CrValue",
       round(went, 4)::text as "ThatPeriod_DrValue", round(held, 4)::text as "Hold_qty",
       round(held_val, 4)::text as "ThatPeriod_HoldValue", round(closing - held, 4)::text as "Closing_active_qty",
       round(closing_val - held_val, 4)::text as "Closing_active_value", round(closing, 4)::text as "Closing_qty",
       round(closing_val, 4)::text as final_value, round(charge, 4)::text as "final_TrfChrg", w.location as warehouse
  from figures f join item i on i.id = f.item_id join warehouse w on w.id = f.warehouse_id
 order by i.sku, w.location
