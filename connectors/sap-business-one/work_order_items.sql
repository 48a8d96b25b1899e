select o.number as work_order_no, row_number() over (partition by o.id order by l.VisOrder, l.LineNum) as line_no, i.sku,
       case when l.PlannedQty < 0 then 'By-product' else 'Component' end as kind, round(abs(l.PlannedQty), 4) as planned_qty
  from production o
  join item m on m.code = o.product
  join WOR1 l on l.DocEntry = o.id and l.ItemType = 4
  join item i on i.code = l.ItemCode
 where round(abs(l.PlannedQty), 4) > 0
 order by 1, 2
