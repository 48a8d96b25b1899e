select number as order_no, line_no, name, percent as rate, amount
  from tax
 where kind = 'sale'
 order by 1, 2, 3
