select t.invoice_no, t.line_no, 'Tax' as name, t.amount
  from (select number as invoice_no, line_no, round(tax, 2) as amount from invoice_line
        union all
        select concat('CN-', number), line_no, -round(tax, 2) from credit_line) t
 where t.amount <> 0
 order by 1, 2
