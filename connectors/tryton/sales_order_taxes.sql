select number as order_no, line_no, name, percent as rate, amount
  from tax
 where kind = 'sale' and document not in (select document from sold where is_return)
 order by 1, 2, 3
