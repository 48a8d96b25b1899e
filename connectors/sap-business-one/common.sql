-- Shared by all queries: each query continues this `with`. Written in the part of SQL that SQL Server and PostgreSQL have in common, so
-- that a test can run it. A cancelled document has CANCELED = 'Y', and the document that cancels it 'C'.
with company as (
  select CompnyName as name, MainCurncy as currency, Country as country, Phone1 as phone, E_Mail as email, TaxIdNum as gstn from OADM),
item as (
  select i.ItemCode as code, ltrim(rtrim(i.ItemCode)) as sku, coalesce(nullif(ltrim(rtrim(i.ItemName)), ''), i.ItemCode) as name,
         i.ItmsGrpCod as item_group, i.InvntItem as is_stocked, i.SellItem as is_sold, i.MinLevel as reorder_level,
         i.validFor as is_valid, i.frozenFor as is_frozen, coalesce(nullif(ltrim(rtrim(i.InvntryUom)), ''), 'pcs') as unit
    from OITM i
   where i.ItemType = 'I'),
-- Units of a group, or else the units in which the item is bought and sold. A unit with two factors has the first.
item_unit as (
  select x.code, x.unit, x.factor, x.divisor
    from (select y.code, y.unit, y.factor, y.divisor, row_number() over (partition by y.code, y.unit order by y.place) as nth
            from (select i.ItemCode as code, u.UomCode as unit, g.BaseQty / g.AltQty * s.AltQty / s.BaseQty as factor, 1 as divisor, 1 as place
                    from OITM i
                    join UGP1 g on g.UgpEntry = i.UgpEntry and g.AltQty > 0 and g.BaseQty > 0
                    join UGP1 s on s.UgpEntry = i.UgpEntry and s.UomEntry = i.IUoMEntry and s.AltQty > 0 and s.BaseQty > 0
                    join OUOM u on u.UomEntry = g.UomEntry
                   where i.UgpEntry > 0
                  union all
                  select ItemCode, SalUnitMsr, NumInSale, 1, 2 from OITM where NumInSale > 0 and SalUnitMsr <> ''
                  union all
                  select ItemCode, BuyUnitMsr, NumInBuy, 1, 3 from OITM where NumInBuy > 0 and BuyUnitMsr <> '') y
            join item i on i.code = y.code and i.unit <> y.unit) x
   where x.nth = 1 and x.factor > 0),
place as (select WhsCode as code, WhsName as name, Street, City, ZipCode, State, Country from OWHS),
-- Recipes of productions. What sales call a kit has its parts on their own lines.
part as (
  select w.code as whole, p.code as product, sum(abs(l.Quantity) / t.Qauntity) as qty, case when l.Quantity < 0 then 'By-product' else 'Component' end as kind
    from OITT t
    join ITT1 l on l.Father = t.Code and l.Type = 4 and l.Quantity <> 0
    join item w on w.code = t.Code
    join item p on p.code = l.Code and p.code <> w.code
   where t.TreeType = 'P' and t.Qauntity > 0
   group by w.code, p.code, case when l.Quantity < 0 then 'By-product' else 'Component' end),
-- Amounts are in the currency of the document. The discount of a document is distributed over its lines.
sale as (
  select d.id, d.number, d.party, d.day, d.due, d.reference, d.status, d.canceled, d.currency, d.is_foreign,
         case when d.is_foreign = 1 then d.rate end as exchange_rate,
         coalesce(l.net, 0) - d.discount as taxable_amt, d.tax as tax_amt, d.freight as shipping_amt, d.total as total_amt, d.discount, coalesce(l.net, 0) as lines_amt
    from (select o.DocEntry as id, o.CardCode as party, cast(o.DocDate as date) as day, cast(o.DocDueDate as date) as due, o.NumAtCard as reference,
                 o.DocStatus as status, o.CANCELED as canceled, o.DocCur as currency, o.DocRate as rate,
                 concat(o.DocNum, case when row_number() over (partition by o.DocNum order by o.DocEntry) > 1 then concat('#', o.DocEntry) else '' end) as number,
                 case when o.DocCur <> c.currency then 1 else 0 end as is_foreign,
                 case when o.DocCur <> c.currency then coalesce(o.DiscSumFC, 0) else coalesce(o.DiscSum, 0) end as discount,
                 case when o.DocCur <> c.currency then coalesce(o.VatSumFC, 0) else coalesce(o.VatSum, 0) end as tax,
                 case when o.DocCur <> c.currency then coalesce(o.TotalExpFC, 0) else coalesce(o.TotalExpns, 0) end as freight,
                 case when o.DocCur <> c.currency then o.DocTotalFC else o.DocTotal end as total
            from ORDR o cross join company c
           where o.CANCELED in ('Y', 'N')) d
    left join (select l.DocEntry, sum(case when o.DocCur <> c.currency then l.TotalFrgn else l.LineTotal end) as net
                 from RDR1 l join ORDR o on o.DocEntry = l.DocEntry cross join company c
                group by l.DocEntry) l on l.DocEntry = d.id),
sale_line as (
  select l.document, l.number, l.id, l.line_no, l.sku, l.description, l.place, l.due, l.unit, l.factor, l.qty, l.open_status, l.done_qty, l.base_type, l.base, l.base_line,
         case when l.lines_amt = 0 then round(l.net, 2)
              else round(l.upto - l.discount * l.upto / l.lines_amt, 2) - round(l.upto - l.net - l.discount * (l.upto - l.net) / l.lines_amt, 2) end as net,
         l.tax, l.tax_rate
    from (select x.*, sum(x.net) over (partition by x.document order by x.line_no rows unbounded preceding) as upto
            from (select d.id as document, d.number, d.discount, d.lines_amt, l.LineNum as id,
                         row_number() over (partition by d.id order by l.VisOrder, l.LineNum) as line_no,
                         i.sku, coalesce(nullif(ltrim(rtrim(l.Dscription)), ''), '-') as description, l.WhsCode as place, cast(l.ShipDate as date) as due,
                         u.unit, case when u.unit is null then coalesce(nullif(l.NumPerMsr, 0), 1) else 1 end as factor,
                         coalesce(l.Quantity, 0) * case when u.unit is null then coalesce(nullif(l.NumPerMsr, 0), 1) else 1 end as qty,
                         l.LineStatus as open_status, coalesce(l.DelivrdQty, 0) * case when u.unit is null then coalesce(nullif(l.NumPerMsr, 0), 1) else 1 end as done_qty,
                         l.BaseType as base_type, l.BaseEntry as base, l.BaseLine as base_line,
                         case when d.is_foreign = 1 then l.TotalFrgn else l.LineTotal end as net,
                         case when d.is_foreign = 1 then l.VatSumFrgn else l.VatSum end as tax, l.VatPrcnt as tax_rate
                    from sale d
                    join RDR1 l on l.DocEntry = d.id
                    left join item i on i.code = l.ItemCode
                    left join item_unit u on u.code = l.ItemCode and u.unit = case when l.UomEntry > 0 then l.UomCode else l.unitMsr end
                          and abs(u.factor - l.NumPerMsr) < 0.000001) x) l),
purchase as (
  select d.id, d.number, d.party, d.day, d.due, d.reference, d.status, d.canceled, d.currency, d.is_foreign,
         case when d.is_foreign = 1 then d.rate end as exchange_rate,
         coalesce(l.net, 0) - d.discount as taxable_amt, d.tax as tax_amt, d.freight as shipping_amt, d.total as total_amt, d.discount, coalesce(l.net, 0) as lines_amt
    from (select o.DocEntry as id, o.CardCode as party, cast(o.DocDate as date) as day, cast(o.DocDueDate as date) as due, o.NumAtCard as reference,
                 o.DocStatus as status, o.CANCELED as canceled, o.DocCur as currency, o.DocRate as rate,
                 concat(o.DocNum, case when row_number() over (partition by o.DocNum order by o.DocEntry) > 1 then concat('#', o.DocEntry) else '' end) as number,
                 case when o.DocCur <> c.currency then 1 else 0 end as is_foreign,
                 case when o.DocCur <> c.currency then coalesce(o.DiscSumFC, 0) else coalesce(o.DiscSum, 0) end as discount,
                 case when o.DocCur <> c.currency then coalesce(o.VatSumFC, 0) else coalesce(o.VatSum, 0) end as tax,
                 case when o.DocCur <> c.currency then coalesce(o.TotalExpFC, 0) else coalesce(o.TotalExpns, 0) end as freight,
                 case when o.DocCur <> c.currency then o.DocTotalFC else o.DocTotal end as total
            from OPOR o cross join company c
           where o.CANCELED in ('Y', 'N')) d
    left join (select l.DocEntry, sum(case when o.DocCur <> c.currency then l.TotalFrgn else l.LineTotal end) as net
                 from POR1 l join OPOR o on o.DocEntry = l.DocEntry cross join company c
                group by l.DocEntry) l on l.DocEntry = d.id),
purchase_line as (
  select l.document, l.number, l.id, l.line_no, l.sku, l.description, l.place, l.due, l.unit, l.factor, l.qty, l.open_status, l.done_qty, l.base_type, l.base, l.base_line,
         case when l.lines_amt = 0 then round(l.net, 2)
              else round(l.upto - l.discount * l.upto / l.lines_amt, 2) - round(l.upto - l.net - l.discount * (l.upto - l.net) / l.lines_amt, 2) end as net,
         l.tax, l.tax_rate
    from (select x.*, sum(x.net) over (partition by x.document order by x.line_no rows unbounded preceding) as upto
            from (select d.id as document, d.number, d.discount, d.lines_amt, l.LineNum as id,
                         row_number() over (partition by d.id order by l.VisOrder, l.LineNum) as line_no,
                         i.sku, coalesce(nullif(ltrim(rtrim(l.Dscription)), ''), '-') as description, l.WhsCode as place, cast(l.ShipDate as date) as due,
                         u.unit, case when u.unit is null then coalesce(nullif(l.NumPerMsr, 0), 1) else 1 end as factor,
                         coalesce(l.Quantity, 0) * case when u.unit is null then coalesce(nullif(l.NumPerMsr, 0), 1) else 1 end as qty,
                         l.LineStatus as open_status, coalesce(l.DelivrdQty, 0) * case when u.unit is null then coalesce(nullif(l.NumPerMsr, 0), 1) else 1 end as done_qty,
                         l.BaseType as base_type, l.BaseEntry as base, l.BaseLine as base_line,
                         case when d.is_foreign = 1 then l.TotalFrgn else l.LineTotal end as net,
                         case when d.is_foreign = 1 then l.VatSumFrgn else l.VatSum end as tax, l.VatPrcnt as tax_rate
                    from purchase d
                    join POR1 l on l.DocEntry = d.id
                    left join item i on i.code = l.ItemCode
                    left join item_unit u on u.code = l.ItemCode and u.unit = case when l.UomEntry > 0 then l.UomCode else l.unitMsr end
                          and abs(u.factor - l.NumPerMsr) < 0.000001) x) l),
invoice as (
  select d.id, d.number, d.party, d.day, d.due, d.reference, d.status, d.canceled, d.currency, d.is_foreign,
         case when d.is_foreign = 1 then d.rate end as exchange_rate,
         coalesce(l.net, 0) - d.discount as taxable_amt, d.tax as tax_amt, d.freight as shipping_amt, d.total as total_amt, d.discount, coalesce(l.net, 0) as lines_amt
    from (select o.DocEntry as id, o.CardCode as party, cast(o.DocDate as date) as day, cast(o.DocDueDate as date) as due, o.NumAtCard as reference,
                 o.DocStatus as status, o.CANCELED as canceled, o.DocCur as currency, o.DocRate as rate,
                 concat(o.DocNum, case when row_number() over (partition by o.DocNum order by o.DocEntry) > 1 then concat('#', o.DocEntry) else '' end) as number,
                 case when o.DocCur <> c.currency then 1 else 0 end as is_foreign,
                 case when o.DocCur <> c.currency then coalesce(o.DiscSumFC, 0) else coalesce(o.DiscSum, 0) end as discount,
                 case when o.DocCur <> c.currency then coalesce(o.VatSumFC, 0) else coalesce(o.VatSum, 0) end as tax,
                 case when o.DocCur <> c.currency then coalesce(o.TotalExpFC, 0) else coalesce(o.TotalExpns, 0) end as freight,
                 case when o.DocCur <> c.currency then o.DocTotalFC else o.DocTotal end as total
            from OINV o cross join company c
           where o.CANCELED in ('Y', 'N')) d
    left join (select l.DocEntry, sum(case when o.DocCur <> c.currency then l.TotalFrgn else l.LineTotal end) as net
                 from INV1 l join OINV o on o.DocEntry = l.DocEntry cross join company c
                group by l.DocEntry) l on l.DocEntry = d.id),
invoice_line as (
  select l.document, l.number, l.id, l.line_no, l.sku, l.description, l.place, l.due, l.unit, l.factor, l.qty, l.open_status, l.done_qty, l.base_type, l.base, l.base_line,
         case when l.lines_amt = 0 then round(l.net, 2)
              else round(l.upto - l.discount * l.upto / l.lines_amt, 2) - round(l.upto - l.net - l.discount * (l.upto - l.net) / l.lines_amt, 2) end as net,
         l.tax, l.tax_rate
    from (select x.*, sum(x.net) over (partition by x.document order by x.line_no rows unbounded preceding) as upto
            from (select d.id as document, d.number, d.discount, d.lines_amt, l.LineNum as id,
                         row_number() over (partition by d.id order by l.VisOrder, l.LineNum) as line_no,
                         i.sku, coalesce(nullif(ltrim(rtrim(l.Dscription)), ''), '-') as description, l.WhsCode as place, cast(l.ShipDate as date) as due,
                         u.unit, case when u.unit is null then coalesce(nullif(l.NumPerMsr, 0), 1) else 1 end as factor,
                         coalesce(l.Quantity, 0) * case when u.unit is null then coalesce(nullif(l.NumPerMsr, 0), 1) else 1 end as qty,
                         l.LineStatus as open_status, coalesce(l.DelivrdQty, 0) * case when u.unit is null then coalesce(nullif(l.NumPerMsr, 0), 1) else 1 end as done_qty,
                         l.BaseType as base_type, l.BaseEntry as base, l.BaseLine as base_line,
                         case when d.is_foreign = 1 then l.TotalFrgn else l.LineTotal end as net,
                         case when d.is_foreign = 1 then l.VatSumFrgn else l.VatSum end as tax, l.VatPrcnt as tax_rate
                    from invoice d
                    join INV1 l on l.DocEntry = d.id
                    left join item i on i.code = l.ItemCode
                    left join item_unit u on u.code = l.ItemCode and u.unit = case when l.UomEntry > 0 then l.UomCode else l.unitMsr end
                          and abs(u.factor - l.NumPerMsr) < 0.000001) x) l),
credit as (
  select d.id, d.number, d.party, d.day, d.due, d.reference, d.status, d.canceled, d.currency, d.is_foreign,
         case when d.is_foreign = 1 then d.rate end as exchange_rate,
         coalesce(l.net, 0) - d.discount as taxable_amt, d.tax as tax_amt, d.freight as shipping_amt, d.total as total_amt, d.discount, coalesce(l.net, 0) as lines_amt
    from (select o.DocEntry as id, o.CardCode as party, cast(o.DocDate as date) as day, cast(o.DocDueDate as date) as due, o.NumAtCard as reference,
                 o.DocStatus as status, o.CANCELED as canceled, o.DocCur as currency, o.DocRate as rate,
                 concat(o.DocNum, case when row_number() over (partition by o.DocNum order by o.DocEntry) > 1 then concat('#', o.DocEntry) else '' end) as number,
                 case when o.DocCur <> c.currency then 1 else 0 end as is_foreign,
                 case when o.DocCur <> c.currency then coalesce(o.DiscSumFC, 0) else coalesce(o.DiscSum, 0) end as discount,
                 case when o.DocCur <> c.currency then coalesce(o.VatSumFC, 0) else coalesce(o.VatSum, 0) end as tax,
                 case when o.DocCur <> c.currency then coalesce(o.TotalExpFC, 0) else coalesce(o.TotalExpns, 0) end as freight,
                 case when o.DocCur <> c.currency then o.DocTotalFC else o.DocTotal end as total
            from ORIN o cross join company c
           where o.CANCELED in ('Y', 'N')) d
    left join (select l.DocEntry, sum(case when o.DocCur <> c.currency then l.TotalFrgn else l.LineTotal end) as net
                 from RIN1 l join ORIN o on o.DocEntry = l.DocEntry cross join company c
                group by l.DocEntry) l on l.DocEntry = d.id),
credit_line as (
  select l.document, l.number, l.id, l.line_no, l.sku, l.description, l.place, l.due, l.unit, l.factor, l.qty, l.open_status, l.done_qty, l.base_type, l.base, l.base_line,
         case when l.lines_amt = 0 then round(l.net, 2)
              else round(l.upto - l.discount * l.upto / l.lines_amt, 2) - round(l.upto - l.net - l.discount * (l.upto - l.net) / l.lines_amt, 2) end as net,
         l.tax, l.tax_rate
    from (select x.*, sum(x.net) over (partition by x.document order by x.line_no rows unbounded preceding) as upto
            from (select d.id as document, d.number, d.discount, d.lines_amt, l.LineNum as id,
                         row_number() over (partition by d.id order by l.VisOrder, l.LineNum) as line_no,
                         i.sku, coalesce(nullif(ltrim(rtrim(l.Dscription)), ''), '-') as description, l.WhsCode as place, cast(l.ShipDate as date) as due,
                         u.unit, case when u.unit is null then coalesce(nullif(l.NumPerMsr, 0), 1) else 1 end as factor,
                         coalesce(l.Quantity, 0) * case when u.unit is null then coalesce(nullif(l.NumPerMsr, 0), 1) else 1 end as qty,
                         l.LineStatus as open_status, coalesce(l.DelivrdQty, 0) * case when u.unit is null then coalesce(nullif(l.NumPerMsr, 0), 1) else 1 end as done_qty,
                         l.BaseType as base_type, l.BaseEntry as base, l.BaseLine as base_line,
                         case when d.is_foreign = 1 then l.TotalFrgn else l.LineTotal end as net,
                         case when d.is_foreign = 1 then l.VatSumFrgn else l.VatSum end as tax, l.VatPrcnt as tax_rate
                    from credit d
                    join RIN1 l on l.DocEntry = d.id
                    left join item i on i.code = l.ItemCode
                    left join item_unit u on u.code = l.ItemCode and u.unit = case when l.UomEntry > 0 then l.UomCode else l.unitMsr end
                          and abs(u.factor - l.NumPerMsr) < 0.000001) x) l),
-- The line of an order behind a line of a delivery, a return, an invoice or a credit note.
delivered as (
  select 15 as type, l.DocEntry as document, l.LineNum as line, s.document as sale, s.id as sale_line
    from DLN1 l join sale_line s on l.BaseType = 17 and s.document = l.BaseEntry and s.id = l.BaseLine),
invoiced as (
  select 13 as type, l.document, l.id as line, coalesce(s.document, d.sale) as sale, coalesce(s.id, d.sale_line) as sale_line
    from invoice_line l
    left join sale_line s on l.base_type = 17 and s.document = l.base and s.id = l.base_line
    left join delivered d on l.base_type = 15 and d.document = l.base and d.line = l.base_line
   where coalesce(s.document, d.sale) is not null),
came_back as (
  select 16 as type, l.DocEntry as document, l.LineNum as line, d.sale, d.sale_line
    from RDN1 l join delivered d on l.BaseType = 15 and d.document = l.BaseEntry and d.line = l.BaseLine
  union all
  select 14, l.document, l.id, coalesce(i.sale, r.sale), coalesce(i.sale_line, r.sale_line)
    from credit_line l
    left join invoiced i on l.base_type = 13 and i.document = l.base and i.line = l.base_line
    left join (select x.DocEntry as document, x.LineNum as line, d.sale, d.sale_line
                 from RDN1 x join delivered d on x.BaseType = 15 and d.document = x.BaseEntry and d.line = x.BaseLine) r
           on l.base_type = 16 and r.document = l.base and r.line = l.base_line
   where coalesce(i.sale, r.sale) is not null),
sold as (
  select t.type, t.document, t.line, s.number as order_no, s.line_no as order_line_no, s.sku
    from (select * from delivered union all select * from invoiced union all select * from came_back) t
    join sale_line s on s.document = t.sale and s.id = t.sale_line),
-- Receipts against orders. A receipt for several orders becomes one goods receipt per order.
received as (
  select r.DocEntry as document, l.LineNum as line, p.number as po_no, p.line_no as po_line_no, p.sku, l.WhsCode as place, cast(r.DocDate as date) as day,
         r.NumAtCard as reference, p.unit, coalesce(l.Quantity, 0) * p.factor as qty,
         case when o.is_foreign = 1 then l.TotalFrgn else l.LineTotal end * (1 - coalesce(r.DiscPrcnt, 0) / 100) as net,
         case when o.is_foreign = 1 then l.VatSumFrgn else l.VatSum end as tax, case when o.is_foreign = 1 then r.DocRate end as exchange_rate,
         concat(r.number, case when dense_rank() over (partition by r.DocEntry order by l.BaseEntry) > 1
                               then concat('/', dense_rank() over (partition by r.DocEntry order by l.BaseEntry)) else '' end) as grn_no
    from (select h.DocEntry, h.DocDate, h.NumAtCard, h.DocRate, h.DiscPrcnt,
                 concat(h.DocNum, case when row_number() over (partition by h.DocNum order by h.DocEntry) > 1 then concat('#', h.DocEntry) else '' end) as number
            from OPDN h where h.CANCELED = 'N') r
    join PDN1 l on l.DocEntry = r.DocEntry and l.BaseType = 22
    join purchase o on o.id = l.BaseEntry
    join purchase_line p on p.document = l.BaseEntry and p.id = l.BaseLine and p.sku is not null
    join item i on i.code = l.ItemCode and i.sku = p.sku
   where l.Quantity > 0),
production as (
  select o.DocEntry as id, concat(o.DocNum, case when row_number() over (partition by o.DocNum order by o.DocEntry) > 1 then concat('#', o.DocEntry) else '' end) as number,
         o.ItemCode as product, o.Status as status, o.PlannedQty as qty, o.Warehouse as place, cast(coalesce(o.StartDate, o.PostDate) as date) as starts,
         cast(coalesce(o.DueDate, o.StartDate, o.PostDate) as date) as ends, cast(o.CloseDate as date) as closed, o.Comments as comments
    from OWOR o
   where o.Type in ('S', 'P') and o.PlannedQty > 0),
-- The batches of a line of a document, with the quantity of each.
tracked as (
  select t.DocType as type, t.DocEntry as document, t.DocLine as line, t.LocCode as place, t.ItemCode as product, b.DistNumber as batch_no,
         case when l.Quantity < 0 then -1 else 1 end as sign, sum(abs(l.Quantity)) as qty
    from OITL t
    join ITL1 l on l.LogEntry = t.LogEntry and l.Quantity <> 0
    join OBTN b on b.ItemCode = l.ItemCode and b.SysNumber = l.SysNumber
   where t.ManagedBy = 10000044
   group by t.DocType, t.DocEntry, t.DocLine, t.LocCode, t.ItemCode, b.DistNumber, case when l.Quantity < 0 then -1 else 1 end),
-- The warehouse journal, one row per entry and batch; the running sums make the shares of the batches add up.
entry as (
  select e.id, e.type, e.document, e.line, e.day, e.product, e.place, ltrim(rtrim(b.batch_no)) as batch_no, e.memo,
         case when b.batch_no is null then round(e.moved, 4)
              else round(e.moved * b.upto / b.whole, 4) - round(e.moved * (b.upto - b.qty) / b.whole, 4) end as moved,
         case when b.batch_no is null then round(e.val, 4)
              else round(e.val * b.upto / b.whole, 4) - round(e.val * (b.upto - b.qty) / b.whole, 4) end as val
    from (select m.TransNum as id, m.TransType as type, m.CreatedBy as document, m.DocLineNum as line, cast(m.DocDate as date) as day, m.ItemCode as product,
                 m.Warehouse as place, coalesce(m.InQty, 0) - coalesce(m.OutQty, 0) as moved, coalesce(m.TransValue, 0) as val, m.JrnlMemo as memo
            from OINM m) e
    join item i on i.code = e.product and i.is_stocked = 'Y'
    join place w on w.code = e.place
    left join (select t.*, sum(t.qty) over (partition by t.type, t.document, t.line, t.place, t.product, t.sign) as whole,
                      sum(t.qty) over (partition by t.type, t.document, t.line, t.place, t.product, t.sign order by t.batch_no rows unbounded preceding) as upto
                 from tracked t) b
           on b.type = e.type and b.document = e.document and b.line = e.line and b.place = e.place and b.product = e.product
          and b.sign = case when e.moved < 0 then -1 when e.moved > 0 then 1 else 0 end),
-- Issues and receipts for production orders: a receipt without a line of the order is the product, a line with a negative quantity a by-product.
for_production as (
  select 60 as type, g.DocEntry as document, g.LineNum as line, p.id as production, 'consumption' as kind
    from IGE1 g join production p on g.BaseType = 202 and p.id = g.BaseEntry
  union all
  select 59, g.DocEntry, g.LineNum, p.id, case when coalesce(g.BaseLine, -1) < 0 or l.PlannedQty < 0 then 'production_receipt' else 'other_receipt' end
    from IGN1 g
    join production p on g.BaseType = 202 and p.id = g.BaseEntry
    left join WOR1 l on l.DocEntry = g.BaseEntry and l.LineNum = g.BaseLine),
made as (
  select e.product, e.batch_no, min(e.day) as day, min(e.place) as place, sum(e.moved) as qty
    from entry e join for_production f on f.type = e.type and f.document = e.document and f.line = e.line and f.kind = 'production_receipt'
   where e.moved > 0 and e.batch_no is not null
   group by e.product, e.batch_no),
-- The one batch of each production order that has only one.
made_by as (
  select f.production, e.product, min(e.batch_no) as batch_no
    from entry e
    join for_production f on f.type = e.type and f.document = e.document and f.line = e.line and f.kind = 'production_receipt'
    join production p on p.id = f.production and p.product = e.product
   where e.moved > 0
   group by f.production, e.product having count(distinct coalesce(e.batch_no, '')) = 1),
-- Goods of orders that came back by a return, or by a credit note for an invoice: in stock units, at the value of that document in the
-- company's currency.
returned as (
  select b.type, b.document, s.order_no, s.order_line_no, b.return_no, b.day, e.moved as qty, b.net, b.tax
    from (select 16 as type, h.DocEntry as document, l.LineNum as line, concat('R-', h.DocNum) as return_no, cast(h.DocDate as date) as day,
                 l.LineTotal * (1 - coalesce(h.DiscPrcnt, 0) / 100) as net, l.VatSum as tax
            from ORDN h join RDN1 l on l.DocEntry = h.DocEntry where h.CANCELED = 'N'
          union all
          select 14, h.DocEntry, l.LineNum, concat('CN-', h.DocNum), cast(h.DocDate as date), l.LineTotal * (1 - coalesce(h.DiscPrcnt, 0) / 100), l.VatSum
            from ORIN h join RIN1 l on l.DocEntry = h.DocEntry where h.CANCELED = 'N' and l.BaseType = 13) b
    join sold s on s.type = b.type and s.document = b.document and s.line = b.line
    join (select type, document, line, sum(moved) as moved from entry where moved > 0 group by type, document, line) e
      on e.type = b.type and e.document = b.document and e.line = b.line)
