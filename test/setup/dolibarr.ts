/** The columns of Dolibarr's tables that its connector reads, and a small bakery of our own in them. */

const NUMBERS =
  /^(rowid|entity|fk_(?!pcg)|qty|value|price|price_ttc|pmp|reel|tva_tx|remise_percent|total_|localtax|multicurrency_(tx|sub|total)|subprice|status|statut|type|client$|fournisseur$|tosell|tobuy|finished|incdec|efficiency|bomtype|mrptype|rang|product_type|seuil|nbjour|type_mouvement|cost)/
const DAYS = /^(date|datec$|datem|datef|tms|eatby|sellby|manufacturing_date)/

const table = (name: string, columns: string) =>
  `create table llx_${name} (${columns
    .split(' ')
    .map((column) =>
      DAYS.test(column)
        ? `${column} datetime`
        : NUMBERS.test(column) && !/^(typent|origintype|type_code)/.test(column)
          ? `${column} ${/^(rowid|fk_|entity)/.test(column) ? 'int' : 'double'}`
          : `\`${column}\` varchar(255)`,
    )
    .join(', ')}) collate utf8mb4_unicode_ci;`

const MULTI =
  'multicurrency_code multicurrency_tx multicurrency_total_ht multicurrency_total_tva multicurrency_total_ttc'
const LINE =
  'rowid fk_product label description qty tva_tx vat_src_code localtax1_tx localtax2_tx remise_percent subprice total_ht total_tva total_localtax1 total_localtax2 total_ttc product_type rang multicurrency_subprice multicurrency_total_ht multicurrency_total_tva multicurrency_total_ttc'
const TOTALS = 'total_ht total_tva localtax1 localtax2 total_ttc'

export const TABLES = [
  'create table llx_const (name varchar(180), entity int, value text) collate utf8mb4_unicode_ci;',
  table(
    'product',
    'rowid ref entity label fk_product_type tosell tobuy finished price_ttc tva_tx customcode seuil_stock_alerte pmp fk_default_bom fk_unit datec tms',
  ),
  table('c_units', 'rowid code short_label'),
  table('c_departements', 'rowid nom'),
  table('c_country', 'rowid label'),
  table('c_payment_term', 'rowid nbjour'),
  table('categorie', 'rowid label'),
  table('categorie_product', 'fk_categorie fk_product'),
  table('entrepot', 'rowid ref entity address zip town fk_departement fk_pays phone'),
  table('product_stock', 'rowid fk_product fk_entrepot reel'),
  table('product_batch', 'rowid fk_product_stock batch qty'),
  table('product_lot', 'rowid fk_product batch eatby sellby manufacturing_date'),
  table('product_association', 'fk_product_pere fk_product_fils qty incdec'),
  table('bom_bom', 'rowid entity fk_product qty status bomtype'),
  table('bom_bomline', 'rowid fk_bom fk_product qty efficiency'),
  table(
    'societe',
    'rowid nom client fournisseur code_client code_fournisseur address zip town fk_departement fk_pays phone email tva_intra cond_reglement_supplier',
  ),
  table(
    'commande',
    `rowid ref entity ref_client fk_soc fk_statut fk_warehouse date_commande date_valid date_creation date_livraison tms ${TOTALS} ${MULTI}`,
  ),
  table('commandedet', `${LINE} fk_commande`),
  table(
    'commande_fournisseur',
    `rowid ref entity ref_supplier fk_soc fk_statut date_commande date_approve date_valid date_creation date_livraison tms ${TOTALS} ${MULTI}`,
  ),
  table('commande_fournisseurdet', `${LINE} fk_commande`),
  table(
    'facture',
    `rowid ref entity ref_client type fk_soc fk_statut fk_facture_source datef datec tms date_lim_reglement ${TOTALS} ${MULTI}`,
  ),
  table('facturedet', `${LINE} fk_facture`),
  table('element_element', 'rowid fk_source sourcetype fk_target targettype'),
  table('expedition', 'rowid ref entity fk_statut'),
  table('expeditiondet', 'rowid fk_expedition fk_elementdet qty fk_entrepot'),
  table('expeditiondet_batch', 'rowid fk_expeditiondet batch qty'),
  table('reception', 'rowid ref ref_supplier fk_statut date_reception date_delivery date_valid date_creation'),
  table('receptiondet_batch', 'rowid fk_reception fk_elementdet fk_product qty fk_entrepot datec tms'),
  table(
    'mrp_mo',
    'rowid ref entity fk_product fk_warehouse status mrptype qty label date_start_planned date_end_planned date_valid date_creation',
  ),
  table('mrp_production', 'rowid fk_mo fk_product role qty fk_stock_movement'),
  table(
    'stock_mouvement',
    'rowid datem tms fk_product batch fk_entrepot value price type_mouvement label inventorycode fk_origin origintype',
  ),
].join('\n')

/**
 * Flour is bought, 100 kg at 1 and 100 kg at 2, and baked into bread of lot A-1, whose movements spell it `a-1 `. Stock of salt was imported
 * without a movement. A kit of bread and salt is sold. One shipment was cancelled, one invoice is credited, one order is in dollars.
 */
export const COMPANY = `
  set sql_mode = '';
  insert into llx_const values ('MAIN_INFO_SOCIETE_NOM', 1, 'Bakery'), ('MAIN_MONNAIE', 0, 'USD'), ('MAIN_MONNAIE', 1, 'EUR'), ('PRODUIT_SOUSPRODUITS', 1, '1');
  insert into llx_c_units values (1, 'KG', 'kg'), (2, 'P', 'p');
  insert into llx_product (rowid, ref, entity, label, fk_product_type, tosell, tobuy, finished, pmp, fk_unit, datec, price_ttc, tva_tx) values
    (1, ' FLOUR ', 1, 'Flour', 0, 0, 1, 0, 1.5, 1, '2026-01-01', 0, 20), (2, 'BREAD', 1, 'Bread', 0, 1, 0, 1, 2, 2, '2026-01-01', 6, 20),
    (3, 'SALT', 1, 'Salt', 0, 1, 1, null, 0.5, 1, '2026-01-01', 1, 20), (4, 'KIT', 1, 'Bread and salt', 0, 1, 0, null, 0, 2, '2026-01-01', 7, 20),
    (5, 'BAKING', 1, 'Baking', 1, 1, 0, null, 0, null, '2026-01-01', 30, 20), (6, 'OTHER', 2, 'Of another company', 0, 1, 1, null, 0, null, '2026-01-01', 1, 0);
  insert into llx_entrepot (rowid, ref, entity) values (1, 'Main', 1), (2, 'Shop', 1), (3, 'Elsewhere', 2);
  insert into llx_product_association values (4, 2, 1, 1), (4, 3, 2, 1);
  insert into llx_bom_bom values (1, 1, 2, 10, 1, 0), (2, 1, 2, 1, 0, 0);
  insert into llx_bom_bomline values (1, 1, 1, 8, 0.8), (2, 1, 5, 1, 1);
  insert into llx_societe (rowid, nom, client, fournisseur, code_client, code_fournisseur) values (1, 'Mill', 0, 1, null, 'V1'), (2, 'Cafe', 1, 0, 'C1 ', null), (3, 'A prospect', 2, 0, null, null);

  insert into llx_commande_fournisseur (rowid, ref, entity, fk_soc, fk_statut, date_commande, date_livraison, date_creation, total_ht, total_tva, total_ttc) values
    (1, 'PO1', 1, 1, 5, '0000-00-00', '0000-00-00', '2026-02-01', 300, 60, 360), (2, 'PO2', 1, 1, 1, '2026-02-01', null, '2026-02-01', 9, 0, 9);
  insert into llx_commande_fournisseurdet (rowid, fk_commande, fk_product, qty, subprice, total_ht, total_tva, total_ttc, tva_tx, rang, description) values
    (1, 1, 1, 100, 1, 100, 20, 120, 20, 1, '<b>Flour</b>'), (2, 1, 1, 100, 2, 200, 40, 240, 20, 2, null);
  insert into llx_reception values (1, 'RCP1', 'DN 1', 1, '2026-02-02', null, null, '2026-02-02');
  insert into llx_receptiondet_batch values (1, 1, 1, 1, 100, 1, '2026-02-02', null), (2, null, 2, 1, 100, 1, '2026-02-03 10:00:00', null);

  insert into llx_mrp_mo values (1, 'MO1', 1, 2, 1, 3, 0, 40, 'Bread', '2026-02-04', '2026-02-05', null, '2026-02-04'), (2, 'MO2', 1, 2, 1, 1, 1, 1, 'Apart', null, null, null, '2026-02-04');
  insert into llx_mrp_production values (1, 1, 2, 'toproduce', 40, null), (2, 1, 1, 'toconsume', 40, null), (3, 1, 1, 'consumed', 40, 3), (4, 1, 2, 'produced', 40, 4);
  insert into llx_product_lot values (1, 2, 'A-1', '2026-03-01', null, '2026-02-05');

  insert into llx_commande (rowid, ref, entity, ref_client, fk_soc, fk_statut, date_commande, total_ht, total_tva, total_ttc, multicurrency_code, multicurrency_tx, multicurrency_total_ht, multicurrency_total_tva, multicurrency_total_ttc) values
    (1, 'SO1', 1, null, 2, 2, '2026-02-06', 70, 14, 84, 'EUR', 1, 70, 14, 84), (2, 'SO2', 1, null, 2, 1, '2026-02-06', 80, 0, 80, 'USD', 1.25, 100, 0, 100),
    (3, '(PROV3)', 1, null, 2, 0, '2026-02-06', 1, 0, 1, null, null, null, null, null), (4, 'SO4', 1, null, 2, -1, '2026-02-06', 5, 0, 5, null, null, null, null, null);
  insert into llx_commandedet (rowid, fk_commande, fk_product, qty, subprice, total_ht, total_tva, total_ttc, tva_tx, rang, remise_percent, multicurrency_subprice, multicurrency_total_ht, multicurrency_total_tva) values
    (1, 1, 2, 10, 5, 45, 9, 54, 20, 1, 10, 5, 45, 9), (2, 1, 4, 3, 7, 21, 4.2, 25.2, 20, 2, 0, 7, 21, 4.2), (3, 1, null, 1, 4, 4, 0.8, 4.8, 20, 3, 0, 4, 4, 0.8),
    (4, 2, 2, 20, 4, 80, 0, 80, 0, 1, 0, 5, 100, 0), (5, 4, 2, 1, 5, 5, 0, 5, 0, 1, 0, null, null, null);
  insert into llx_expedition values (1, 'SH1', 1, 1), (2, 'SH2', 1, -1);
  insert into llx_expeditiondet values (1, 1, 1, 8, 1), (2, 1, 2, 2, 1), (3, 2, 4, 5, 1);
  insert into llx_expeditiondet_batch values (1, 1, 'a-1', 8), (2, 3, 'a-1', 5);
  insert into llx_facture (rowid, ref, entity, type, fk_soc, fk_statut, fk_facture_source, datef, date_lim_reglement, total_ht, total_tva, total_ttc) values
    (1, 'IN1', 1, 0, 2, 1, null, '2026-02-07', '2026-03-07', 36, 7.2, 43.2), (2, 'CN1', 1, 2, 2, 2, 1, '2026-02-08', '0000-00-00', -9, -1.8, -10.8),
    (3, 'IN3', 1, 0, 2, 3, null, '2026-02-07', null, 1, 0, 1);
  insert into llx_facturedet (rowid, fk_facture, fk_product, qty, subprice, total_ht, total_tva, total_ttc, tva_tx, rang) values
    (1, 1, 2, 8, 4.5, 36, 7.2, 43.2, 20, 1), (2, 2, 2, 2, -4.5, -9, -1.8, -10.8, 20, 1), (3, 3, null, 1, 1, 1, 0, 1, 0, 1);
  insert into llx_element_element values (1, 1, 'shipping', 1, 'facture'), (2, 1, 'commande', 1, 'shipping');

  insert into llx_stock_mouvement (rowid, datem, fk_product, batch, fk_entrepot, value, price, type_mouvement, inventorycode, fk_origin, origintype) values
    (1, '2026-02-02', 1, null, 1, 100, 1, 3, null, 1, 'reception'), (2, '2026-02-03 10:00:00', 1, null, 1, 100, 2, 3, null, 1, 'order_supplier'),
    (3, '2026-02-05', 1, null, 1, -40, 0, 2, 'M1', 1, 'mo'), (4, '2026-02-05', 2, 'a-1 ', 1, 40, 2, 3, 'M1', 1, 'mo'),
    (5, '2026-02-06', 2, 'A-1', 1, -8, 5, 2, null, 1, 'shipping'), (6, '2026-02-06', 4, null, 1, -2, 7, 2, null, 1, 'shipping'),
    (7, '2026-02-06', 2, 'A-1', 1, -2, 0, 2, null, 1, 'shipping'), (8, '2026-02-06', 3, null, 1, -4, 0, 2, null, 1, 'shipping'),
    (9, '2026-02-06', 2, 'A-1', 1, -5, 4, 2, null, 2, 'shipping'), (10, '2026-02-06', 2, 'A-1', 1, 5, 0, 3, null, 0, ''),
    (11, '2026-02-07', 1, null, 1, -10, 1.5, 1, 'T1', 0, ''), (12, '2026-02-07', 1, null, 2, 10, 1.5, 0, 'T1', 0, ''),
    (13, '2026-02-07', 1, null, 2, -0.5, 0, 1, 'I1', 1, 'inventory');
  insert into llx_product_stock values (1, 1, 1, 150), (2, 1, 2, 9.5), (3, 2, 1, 30), (4, 3, 1, 96), (5, 4, 1, -2), (6, 6, 3, 5);
  insert into llx_product_batch values (1, 3, 'A-1', 30);
`
