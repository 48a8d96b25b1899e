-- Validated and paid invoices and credit notes; abandoned and replaced ones are cancelled. A stamp is an adjustment.
select d.number as invoice_no, o.number as order_no, k.customer_code, if(d.type = 2, 'CREDIT NOTE', 'INVOICE') as kind,
       if(d.type = 2, s.number, null) as credit_for, d.day as invoice_at, greatest(coalesce(d.due, d.day), d.day) as due_date, d.ref_client as reference,
       k.tva_intra as customer_gstn, d.gross - d.net - d.tax as adjustment, d.net as sub_total, d.tax as total_tax, d.gross as total_amt,
       d.gross as final_amt, d.currency, d.exchange_rate, if(d.status = 3, 'Cancelled', 'Submitted') as status
  from invoice d
  join party k on k.id = d.party
  left join invoice_order o on o.invoice = d.id
  left join invoice s on s.id = d.fk_facture_source
 order by 1
