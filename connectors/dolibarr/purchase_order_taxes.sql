-- VAT and the local taxes of each line.
select number as po_no, line_no, name, rate, round(amount, 2) as amount
  from (select number, line_no, trim(concat('VAT ', 0 + cast(tva_tx as char), '% ', coalesce(vat_src_code, ''))) as name,
               case when tva_tx between 0 and 100 then tva_tx end as rate, vat as amount from purchase_line
        union all
        select number, line_no, 'Local tax 1', case when localtax1_tx between 0 and 100 then localtax1_tx end, local1 from purchase_line
        union all
        select number, line_no, 'Local tax 2', case when localtax2_tx between 0 and 100 then localtax2_tx end, local2 from purchase_line) t
 where round(amount, 2) <> 0
 order by 1, 2, 3
