/** The tables of SAP Business One that its connector reads, with their documented columns, and a small company of our own in them. */

/** Texts, numbers and days of a table; `create table` for PostgreSQL, whose names are in lowercase like those of the queries. */
const table = (name: string, texts: string, numbers: string, days = '') =>
  `create table ${name} (${[
    ...texts.split(' ').map((column) => `${column} varchar(254)`),
    ...numbers
      .split(' ')
      .filter(Boolean)
      .map(
        (column) =>
          `${column} ${/Entry|Num$|Line$|Type$|Order|GroupNum|SysNumber/.test(column) ? 'integer' : 'numeric(19, 6)'}`,
      ),
    ...days
      .split(' ')
      .filter(Boolean)
      .map((column) => `${column} timestamp`),
  ].join(', ')});`

const HEAD = [
  'CANCELED DocStatus CardCode NumAtCard DocCur',
  'DocEntry DocNum DocRate DiscPrcnt DiscSum DiscSumFC VatSum VatSumFC TotalExpns TotalExpFC DocTotal DocTotalFC',
  'DocDate DocDueDate',
] as const
const LINE = [
  'ItemCode Dscription unitMsr UomCode WhsCode LineStatus',
  'DocEntry LineNum VisOrder BaseType BaseEntry BaseLine UomEntry Quantity NumPerMsr InvQty DelivrdQty LineTotal TotalFrgn VatSum VatSumFrgn VatPrcnt',
  'ShipDate',
] as const

export const TABLES = [
  table('OADM', 'CompnyName MainCurncy Country Phone1 E_Mail TaxIdNum', ''),
  table('ADM1', 'Street City ZipCode', ''),
  table(
    'OITM',
    'ItemCode ItemName ItemType InvntItem SellItem InvntryUom SalUnitMsr BuyUnitMsr validFor frozenFor',
    'ItmsGrpCod UgpEntry IUoMEntry NumInSale NumInBuy MinLevel',
  ),
  table('OITB', 'ItmsGrpNam', 'ItmsGrpCod'),
  table('UGP1', '', 'UgpEntry UomEntry AltQty BaseQty').replace('( varchar(254), ', '('),
  table('OUOM', 'UomCode', 'UomEntry'),
  table('OWHS', 'WhsCode WhsName Street City ZipCode State Country', ''),
  table(
    'OCRD',
    'CardCode CardName CardType CntctPrsn Address City State1 Country ZipCode LicTradNum Phone1 E_Mail MailAddres MailCity MailCountr MailZipCod',
    'GroupNum',
  ),
  table('OCTG', '', 'GroupNum ExtraMonth ExtraDays').replace('( varchar(254), ', '('),
  table('OITT', 'Code TreeType', 'Qauntity'),
  `create table ITT1 (Father varchar(254), Code varchar(254), Type integer, Quantity numeric(19, 6));`,
  ...['ORDR', 'OPOR', 'OINV', 'ORIN', 'ODLN', 'ORDN', 'OPDN'].map((name) => table(name, ...HEAD)),
  ...['RDR1', 'POR1', 'INV1', 'RIN1', 'DLN1', 'RDN1', 'PDN1', 'IGE1', 'IGN1'].map((name) => table(name, ...LINE)),
  table(
    'OWOR',
    'ItemCode Status Type Warehouse Comments',
    'DocEntry DocNum PlannedQty',
    'PostDate StartDate DueDate CloseDate',
  ),
  `create table WOR1 (DocEntry integer, LineNum integer, VisOrder integer, ItemType integer, ItemCode varchar(254), PlannedQty numeric(19, 6));`,
  `create table OINM (TransNum integer, TransType integer, CreatedBy integer, DocLineNum integer, DocDate timestamp, ItemCode varchar(254),
                      Warehouse varchar(254), InQty numeric(19, 6), OutQty numeric(19, 6), TransValue numeric(19, 6), JrnlMemo varchar(254));`,
  `create table OITL (LogEntry integer, DocType integer, DocEntry integer, DocLine integer, LocCode varchar(254), ItemCode varchar(254), ManagedBy integer);`,
  `create table ITL1 (LogEntry integer, ItemCode varchar(254), SysNumber integer, Quantity numeric(19, 6));`,
  `create table OBTN (ItemCode varchar(254), SysNumber integer, DistNumber varchar(254), MnfDate timestamp, ExpDate timestamp);`,
].join('\n')

const head = (name: string, row: string) =>
  `insert into ${name} (DocEntry, DocNum, CANCELED, DocStatus, CardCode, DocCur, DocRate, DocDate, DocDueDate, DiscSum, DiscSumFC, VatSum, VatSumFC,
                        TotalExpns, TotalExpFC, DocTotal, DocTotalFC) values ${row};`
const line = (name: string, row: string) =>
  `insert into ${name} (DocEntry, LineNum, VisOrder, ItemCode, Dscription, WhsCode, unitMsr, UomCode, UomEntry, Quantity, NumPerMsr, DelivrdQty,
                        LineTotal, TotalFrgn, VatSum, VatSumFrgn, VatPrcnt, BaseType, BaseEntry, BaseLine) values ${row};`

/**
 * Flour is bought in bags of 25 kg, in dollars, and baked into bread, with a batch. Of 10 ordered loaves 6 are delivered and invoiced, 1 comes
 * back with a credit note. A second delivery is cancelled. 2 loaves move to the shop; flour is counted and gets a new value.
 */
export const COMPANY = `
  insert into OADM values ('Bread Ltd', 'EUR', 'DE', '030 1', 'mail@bread.example', 'DE1');
  insert into ADM1 values ('Mill Lane 1', 'Berlin', '10115');
  insert into OITB values ('Baking', 100);
  insert into OUOM values ('KG', 1), ('BAG', 2);
  insert into UGP1 values (5, 1, 1, 1), (5, 2, 1, 25);
  insert into OITM (ItemCode, ItemName, ItemType, InvntItem, SellItem, InvntryUom, ItmsGrpCod, UgpEntry, IUoMEntry, NumInSale, NumInBuy, SalUnitMsr, MinLevel, frozenFor)
  values ('FLOUR ', 'Flour', 'I', 'Y', 'N', 'kg', 100, 5, 1, 1, 25, null, 50, 'N'),
         ('BREAD', 'Bread', 'I', 'Y', 'Y', 'pcs', 100, -1, -1, 6, 1, 'Box', 0, 'N'),
         ('DELIVERY', 'Delivery', 'I', 'N', 'Y', null, 100, -1, -1, 1, 1, null, 0, 'Y');
  insert into OWHS values ('01', 'Bakery', 'Mill Lane 1', 'Berlin', '10115', null, 'DE'), ('02', 'Shop', null, 'Berlin', null, null, 'DE');
  insert into OCTG values (1, 1, 0);
  insert into OCRD (CardCode, CardName, CardType, City, GroupNum) values ('C1', 'Cafe', 'C', 'Berlin', 1), ('S1', 'Mill Inc', 'S', 'Boston', 1), ('L1', 'A lead', 'L', null, 1);
  insert into OITT values ('BREAD', 'P', 10);
  insert into ITT1 values ('BREAD', 'FLOUR ', 4, 5), ('BREAD', 'OVEN', 290, 1);

  ${head('OPOR', `(1, 501, 'N', 'C', 'S1', 'USD', 0.8, '2026-03-01', '2026-03-05', 8, 10, 0, 0, 0, 0, 72, 90)`)}
  ${line('POR1', `(1, 0, 0, 'FLOUR ', 'Flour', '01', 'Bag', 'BAG', 2, 4, 25, 4, 80, 100, 0, 0, 0, -1, null, null)`)}
  insert into OPDN (DocEntry, DocNum, CANCELED, DocRate, DiscPrcnt, DocDate, NumAtCard) values (1, 601, 'N', 0.9, 10, '2026-03-04', 'DN 7');
  ${line('PDN1', `(1, 0, 0, 'FLOUR ', 'Flour', '01', 'Bag', 'BAG', 2, 4, 25, 0, 90, 100, 0, 0, 0, 22, 1, 0)`)}

  insert into OWOR values ('BREAD', 'L', 'S', '01', 'First bread', 1, 701, 20, '2026-03-06', '2026-03-06', '2026-03-07', '2026-03-08'),
                          ('BREAD', 'R', 'D', '01', 'Apart', 2, 702, 1, '2026-03-06', '2026-03-06', '2026-03-07', null);
  insert into WOR1 values (1, 0, 0, 4, 'FLOUR ', 10), (1, 1, 1, 290, 'OVEN', 2);
  insert into IGE1 (DocEntry, LineNum, ItemCode, BaseType, BaseEntry, BaseLine) values (1, 0, 'FLOUR ', 202, 1, 0);
  insert into IGN1 (DocEntry, LineNum, ItemCode, BaseType, BaseEntry, BaseLine) values (1, 0, 'BREAD', 202, 1, null);
  insert into OBTN values ('BREAD', 1, 'B-1', '2026-03-07', '2026-03-17'), ('BREAD', 2, 'B-2', '2026-03-07', '2026-03-17');

  ${head('ORDR', `(1, 801, 'N', 'O', 'C1', 'EUR', 0, '2026-03-08', '2026-03-10', 0, 0, 4, 0, 5, 0, 39, 0), (2, 801, 'Y', 'C', 'C1', 'EUR', 0, '2026-03-08', '2026-03-10', 0, 0, 0, 0, 0, 0, 3, 0)`)}
  ${line(
    'RDR1',
    `(1, 0, 0, 'BREAD', 'Bread', '01', 'Box', 'Manual', -1, 1, 6, 1, 18, 0, 2.4, 0, 13.3333, -1, null, null), (1, 1, 1, 'BREAD', 'Bread', '01', 'pcs', 'Manual', -1, 4, 1, 0, 12, 0, 1.6, 0, 13.3333, -1, null, null),
                  (2, 0, 0, 'BREAD', 'Bread', '01', 'pcs', 'Manual', -1, 1, 1, 0, 3, 0, 0, 0, 0, -1, null, null)`,
  )}
  insert into ODLN (DocEntry, DocNum, CANCELED) values (1, 901, 'N'), (2, 902, 'Y'), (3, 903, 'C');
  ${line(
    'DLN1',
    `(1, 0, 0, 'BREAD', 'Bread', '01', 'Box', 'Manual', -1, 1, 6, 1, 18, 0, 2.4, 0, 0, 17, 1, 0), (2, 0, 0, 'BREAD', 'Bread', '01', 'pcs', 'Manual', -1, 4, 1, 0, 12, 0, 0, 0, 0, 17, 1, 1),
                  (3, 0, 0, 'BREAD', 'Bread', '01', 'pcs', 'Manual', -1, 4, 1, 0, 12, 0, 0, 0, 0, 15, 2, 0)`,
  )}
  ${head(
    'OINV',
    `(1, 1001, 'N', 'O', 'C1', 'EUR', 0, '2026-03-10', '2026-04-10', 0, 0, 2.4, 0, 0, 0, 20.4, 0), (2, 1002, 'Y', 'C', 'C1', 'EUR', 0, '2026-03-11', '2026-04-10', 0, 0, 0, 0, 0, 0, 9, 0),
                  (3, 1003, 'C', 'C', 'C1', 'EUR', 0, '2026-03-11', '2026-04-10', 0, 0, 0, 0, 0, 0, 9, 0)`,
  )}
  ${line('INV1', `(1, 0, 0, 'BREAD', 'Bread', '01', 'Box', 'Manual', -1, 1, 6, 0, 18, 0, 2.4, 0, 13.3333, 15, 1, 0), (2, 0, 0, null, 'Catering', '01', null, null, null, 1, 1, 0, 9, 0, 0, 0, 0, -1, null, null)`)}
  ${head('ORIN', `(1, 1001, 'N', 'O', 'C1', 'EUR', 0, '2026-03-12', '2026-03-12', 0, 0, 0.4, 0, 0, 0, 3.4, 0)`)}
  ${line('RIN1', `(1, 0, 0, 'BREAD', 'Bread', '01', 'pcs', 'Manual', -1, 1, 1, 0, 3, 0, 0.4, 0, 13.3333, 13, 1, 0)`)}

  insert into OINM values
    (1, 20, 1, 0, '2026-03-04', 'FLOUR ', '01', 100, 0, 81, 'Goods Receipt PO'),
    (2, 60, 1, 0, '2026-03-07', 'FLOUR ', '01', 0, 10, -8.1, 'Issue for Production'),
    (3, 59, 1, 0, '2026-03-07', 'BREAD', '01', 20, 0, 8.1, 'Receipt from Production'),
    (4, 15, 1, 0, '2026-03-09', 'BREAD', '01', 0, 6, -2.43, 'Deliveries'),
    (5, 15, 2, 0, '2026-03-09', 'BREAD', '01', 0, 4, -1.62, 'Deliveries'),
    (6, 15, 3, 0, '2026-03-09', 'BREAD', '01', 4, 0, 1.62, 'Deliveries - cancel'),
    (7, 14, 1, 0, '2026-03-12', 'BREAD', '01', 1, 0, 0.41, 'A/R Credit Memos'),
    (8, 67, 1, 0, '2026-03-13', 'BREAD', '01', 0, 2, -0.81, 'Inventory Transfers'),
    (9, 67, 1, 0, '2026-03-13', 'BREAD', '02', 2, 0, 0.81, 'Inventory Transfers'),
    (10, 10000071, 1, 0, '2026-03-14', 'FLOUR ', '01', 0, 1.5, -1.22, 'Inventory Posting'),
    (11, 162, 1, 0, '2026-03-15', 'FLOUR ', '01', 0, 0, 5, 'Inventory Revaluation');
  insert into OITL values (1, 59, 1, 0, '01', 'BREAD', 10000044), (2, 15, 1, 0, '01', 'BREAD', 10000044), (3, 15, 2, 0, '01', 'BREAD', 10000044),
    (4, 15, 3, 0, '01', 'BREAD', 10000044), (5, 14, 1, 0, '01', 'BREAD', 10000044), (6, 67, 1, 0, '01', 'BREAD', 10000044), (7, 67, 1, 0, '02', 'BREAD', 10000044);
  insert into ITL1 values (1, 'BREAD', 1, 20), (2, 'BREAD', 1, -6), (3, 'BREAD', 1, -4), (4, 'BREAD', 1, 4), (5, 'BREAD', 1, 1), (6, 'BREAD', 1, -2), (7, 'BREAD', 1, 2);
`
