select number as po_no, line_no, name, percent as rate, amount
  from tax
 where kind = 'purchase'
 order by 1, 2, 3
