/** The trace of batches: distances in the graph of all consumptions, then every movement of the company looked at once per show. */
import type { Company, Customer, Vendor } from '../setup/company.js'
import { books, customerOf, INS, key, type Move, OUTS } from './books.js'
import { divide, format, parse, sum } from './decimal.js'
import { byText } from './order.js'
import { issuedQty, shippingOf } from './order-lines.js'

type Direction = 'forward' | 'backward'
type Side = { sku: string | null; batch: string | null; party: string | null; document: string | null }

interface Params {
  batch_no?: string
  order_no?: string
  invoice_no?: string
  grn_no?: string
  sku?: string
  direction?: Direction | 'both'
  show?: 'links' | 'batches' | 'parties' | 'events'
}

const FORWARD = ['issue', 'sales_return']
const BACKWARD = ['purchase_receipt', 'vendor_return']

const batchKey = (item_id: number, batch_no: string | null) => key(item_id, batch_no)

/** Records by some of their fields, nulls last. */
const inOrder = <R extends object>(records: R[], ...fields: string[]): R[] =>
  records.sort((a, b) => {
    for (const field of fields) {
      const [x, y] = [a, b].map((record) => (record as Record<string, unknown>)[field] ?? null)
      if (x === y) continue
      if (x === null || y === null) return x === null ? 1 : -1
      return typeof x === 'number' ? x - Number(y) : byText(String(x), String(y))
    }
    return 0
  })

/** Groups of rows with the same text. */
const grouped = <R>(rows: readonly R[], textOf: (row: R) => unknown): R[][] => {
  const groups = new Map<string, R[]>()
  for (const row of rows) {
    const text = JSON.stringify(textOf(row))
    groups.set(text, [...(groups.get(text) ?? []), row])
  }
  return [...groups.values()]
}

function tracing(company: Company, { batch_no, order_no, invoice_no, grn_no, sku, direction = 'both' }: Params) {
  const of = books(company)
  const moves = [...of.moves.values()].flat()
  const directions: Direction[] = direction === 'both' ? ['forward', 'backward'] : [direction]
  const isItem = (id: number) => !sku || of.item.of(id).sku === sku
  const invoiced = company.invoice_line.filter((line) => line.invoice_no === invoice_no)
  const isOfDocument = (m: Move) =>
    isItem(m.item_id) &&
    ((order_no && m.order_no === order_no) ||
      (grn_no && m.grn_no === grn_no) ||
      (invoice_no &&
        (m.invoice_no === invoice_no ||
          (m.order_no !== null &&
            invoiced.some((x) => x.order_no === m.order_no && x.order_line_no === m.order_line_no)))))
  const ofStart = moves.filter(isOfDocument)
  const starts = batch_no
    ? company.batch.filter((b) => b.batch_no === batch_no && isItem(b.item_id))
    : ofStart.filter((m) => m.batch_no !== null)

  /** The distance of every batch that can be reached; shorter ways replace longer ones until nothing changes. */
  const distances = (towards: Direction) => {
    const far = new Map(starts.map((b) => [batchKey(b.item_id, b.batch_no), 0]))
    const steps = moves.flatMap((m) => {
      if (m.kind !== 'consumption' || m.batch_no === null || m.for_item_id === null || m.for_batch_no === null)
        return []
      const step = [batchKey(m.item_id, m.batch_no), batchKey(m.for_item_id, m.for_batch_no)] as const
      return [towards === 'forward' ? step : ([step[1], step[0]] as const)]
    })
    for (let changed = true; changed; ) {
      changed = false
      for (const [a, b] of steps) {
        const through = (far.get(a) ?? Number.POSITIVE_INFINITY) + 1
        if (through >= (far.get(b) ?? Number.POSITIVE_INFINITY)) continue
        far.set(b, through)
        changed = true
      }
    }
    return far
  }
  const depths = new Map(directions.map((one) => [one, distances(one)]))
  /** Whether a batch is in the trace at all. */
  const isTraced = (item_id: number | null, no: string | null) =>
    item_id !== null && no !== null && directions.some((one) => depths.get(one)?.has(batchKey(item_id, no)))
  /** Movements between the company and parties, each with the depth of its batch. */
  const traded = directions.flatMap((one) =>
    moves
      .filter((m) => (one === 'forward' ? FORWARD : BACKWARD).includes(m.kind))
      .flatMap((m) => {
        const depth =
          m.batch_no === null
            ? ofStart.includes(m)
              ? 0
              : undefined
            : depths.get(one)?.get(batchKey(m.item_id, m.batch_no))
        return depth === undefined ? [] : [{ direction: one, depth, m }]
      }),
  )
  return { of, moves, directions, depths, isTraced, traded }
}

/** The customer of a sale; undefined for a walk-in customer. */
function customerOfSale(company: Company, m: Move): Customer | undefined {
  const of = books(company)
  if (m.order_no !== null) {
    const { customer_code } = of.salesOrder.of(m.order_no)
    return customer_code === null ? undefined : of.customer.of(customer_code)
  }
  const bill = of.invoice.of(m.invoice_no as string)
  const [first] = of.invoiceLines
    .of(bill.invoice_no)
    .flatMap((line) => line.order_no ?? [])
    .sort(byText)
  const order = bill.order_no ?? first
  const code = bill.customer_code ?? (order === undefined ? null : of.salesOrder.of(order).customer_code)
  return code === null ? undefined : of.customer.of(code)
}

const vendorOf = (company: Company, m: Move): Vendor | undefined =>
  m.po_no === null ? undefined : books(company).vendor.of(books(company).purchaseOrder.of(m.po_no).vendor_code)

const partyOf = (company: Company, m: Move) =>
  FORWARD.includes(m.kind) ? customerOfSale(company, m) : vendorOf(company, m)
const documentOf = (m: Move) => m.order_no ?? m.invoice_no ?? m.grn_no

const WORDS: Record<string, string> = {
  ...{ purchase_receipt: 'received', consumption: 'consumed', issue: 'shipped', sales_return: 'returned' },
  vendor_return: 'vendor-returned',
}
const nowhere: Side = { sku: null, batch: null, party: null, document: null }

function links(company: Company, params: Params) {
  const { of, moves, directions, depths, traded } = tracing(company, params)
  const found = traded.map(({ direction, depth, m }) => {
    const stock: Side = { ...nowhere, sku: of.item.of(m.item_id).sku, batch: m.batch_no }
    const party: Side = { ...nowhere, party: partyOf(company, m)?.name ?? null, document: documentOf(m) }
    const leaves = OUTS.includes(m.kind)
    return { direction, depth, m, from: leaves ? stock : party, to: leaves ? party : stock }
  })
  for (const direction of directions)
    for (const m of moves.filter(({ kind }) => kind === 'consumption')) {
      const [from, to] = [
        { ...nowhere, sku: of.item.of(m.item_id).sku, batch: m.batch_no },
        { ...nowhere, sku: m.for_item_id === null ? null : of.item.of(m.for_item_id).sku, batch: m.for_batch_no },
      ]
      const [item_id, no] = direction === 'forward' ? [m.item_id, m.batch_no] : [m.for_item_id, m.for_batch_no]
      const depth = item_id === null || no === null ? undefined : depths.get(direction)?.get(batchKey(item_id, no))
      if (depth !== undefined) found.push({ direction, depth, m, from, to })
    }
  const records = grouped(found, ({ direction, m, from, to }) => [direction, WORDS[m.kind], from, to]).map((group) => {
    const [{ direction, depth, m, from, to }] = group as [(typeof found)[number]]
    const days = group.map((one) => one.m.movement_date).sort(byText)
    return {
      ...{ direction, depth: depth + 1, link: WORDS[m.kind] as string },
      ...{ from_sku: from.sku, from_batch: from.batch, from_party: from.party, from_document: from.document },
      ...{ to_sku: to.sku, to_batch: to.batch, to_party: to.party, to_document: to.document },
      ...{ qty: format(sum(group.map((one) => one.m.qty)), 4), unit: of.item.of(m.item_id).unit },
      ...{ first_date: days[0], last_date: days.at(-1), movements: group.length },
    }
  })
  return inOrder(
    records,
    ...['direction', 'depth', 'link', 'from_sku', 'from_batch', 'from_party', 'from_document'],
    ...['to_sku', 'to_batch', 'to_party', 'to_document'],
  )
}

function batches(company: Company, params: Params) {
  const { of, moves, directions, depths } = tracing(company, params)
  const reached = directions.flatMap((direction) =>
    [...(depths.get(direction) ?? [])].map(([at, depth]) => ({
      ...{ batch: of.batch.of(at), depth },
      direction: depth === 0 ? 'start' : direction,
    })),
  )
  const once = grouped(reached, ({ direction, batch }) => [direction, batch.item_id, batch.batch_no])
  const records = once.map((group) => {
    const [{ direction, depth, batch }] = group as [(typeof reached)[number]]
    const item = of.item.of(batch.item_id)
    const own = moves.filter((m) => m.item_id === batch.item_id && m.batch_no === batch.batch_no)
    const qty = (...kinds: string[]) => sum(own.filter((m) => kinds.includes(m.kind)).map((m) => m.qty))
    const made = batch.qty === null ? null : parse(batch.qty, 4) - parse(batch.wastage ?? '0', 4)
    const produced = qty('production_receipt')
    const shown = (units: bigint) => format(units, 4)
    return {
      ...{ direction, depth, sku: item.sku, name: item.name, unit: item.unit, batch_no: batch.batch_no },
      ...{ supplier_lot: batch.supplier_lot ?? null, source: batch.source, mfg_date: batch.mfg_date },
      ...{ expiry_date: batch.expiry_date, made_qty: made === null ? null : shown(made) },
      ...{ produced_qty: shown(produced), purchased_qty: shown(qty('purchase_receipt')) },
      ...{ returned_qty: shown(qty('sales_return')), other_in_qty: shown(qty('other_receipt')) },
      ...{ transferred_in_qty: shown(qty('transfer_in')), consumed_qty: shown(qty('consumption')) },
      ...{ shipped_qty: shown(qty('issue')), vendor_returned_qty: shown(qty('vendor_return')) },
      ...{ own_use_qty: shown(qty('internal_issue')), unpacked_qty: shown(qty('unpack')) },
      wasted_qty: shown(qty('trash', 'rejection', 'shortage', 'move_to_bad')),
      transferred_out_qty: shown(qty('transfer_out')),
      ...{ stock_qty: shown(qty(...INS) - qty(...OUTS)), hold_qty: shown(qty('hold') - qty('release')) },
      in_transit_qty: shown(qty('transfer_out') - qty('transfer_in')),
      unexplained_qty: shown(made === null ? 0n : made - produced),
      accounted_percent: made === null || made === 0n ? '100.00' : format(divide(produced * 10_000n, made), 2),
    }
  })
  return inOrder(records, 'direction', 'depth', 'sku', 'batch_no')
}

/** A fraction, for sums of parts. */
type Fraction = readonly [bigint, bigint]
const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d]

const inOneLine = (...parts: unknown[]) => parts.filter((part) => part !== '' && part != null).join(', ')
const placeOf = (row: object, prefix: string) => {
  const of = row as Record<string, unknown>
  return inOneLine(
    ...['address1', 'address2', 'city', 'state', 'pincode', 'country'].map((part) => of[`${prefix}${part}`]),
  )
}

function parties(company: Company, params: Params) {
  const { of, traded } = tracing(company, params)
  /** The part of an order line that came back unusable. */
  const spoiled = (m: Move): Fraction => {
    if (m.kind !== 'issue' || m.order_no === null) return [0n, 1n]
    const line = of.salesLine.of(key(m.order_no, m.order_line_no))
    const issued = issuedQty(company, line)
    const unusable = of.lineReturns.of(key(line.order_no, line.line_no)).map((r) => parse(r.unusable_qty, 4))
    return issued <= 0n ? [0n, 1n] : [m.qty * sum(unusable), issued]
  }
  const lots = grouped(traded, ({ direction, m }) => [
    direction,
    partyOf(company, m)?.code ?? '',
    m.item_id,
    m.batch_no,
  ])
  const records = lots.map((group) => {
    const [{ direction, m }] = group as [(typeof traded)[number]]
    const party = partyOf(company, m)
    const item = of.item.of(m.item_id)
    const sent = group.filter(({ m }) => ['issue', 'purchase_receipt'].includes(m.kind))
    const shipped = sum(sent.map(({ m }) => m.qty))
    const usable = sum(group.filter((one) => !sent.includes(one)).map(({ m }) => m.qty))
    const [returned, of_] = group.reduce<Fraction>((all, { m }) => plus(all, spoiled(m)), [usable, 1n])
    const days = sent.map(({ m }) => m.movement_date).sort(byText)
    return {
      ...{ party_kind: direction === 'forward' ? 'Customer' : 'Vendor', code: party?.code ?? '' },
      ...{ name: party?.name ?? '', ...contactOf(party), sku: item.sku, batch_no: m.batch_no },
      shipped_qty: format(shipped, 4),
      returned_qty: format(divide(returned, of_), 4),
      net_qty: format(divide(shipped * of_ - returned, of_), 4),
      ...{ first_date: days[0] ?? null, last_date: days.at(-1) ?? null },
      documents: [...new Set(group.flatMap(({ m }) => documentOf(m) ?? []))].sort(byText),
      unit: item.unit,
    }
  })
  return inOrder(records, 'party_kind', 'code', 'sku', 'batch_no')
}

function contactOf(party: Customer | Vendor | undefined) {
  if (party === undefined) return { contact_person: '', phone: '', email: '', address: '' }
  if ('credit_days' in party)
    return { contact_person: '', phone: party.phone, email: party.email, address: placeOf(party, '') }
  return {
    contact_person: party.contact_person ?? '',
    phone: party.shipping_phone || party.billing_phone,
    email: party.shipping_email || party.billing_email,
    address: placeOf(party, 'shipping_') || placeOf(party, 'billing_'),
  }
}

function events(company: Company, params: Params) {
  const { of, moves, isTraced, traded } = tracing(company, params)
  const KINDS: Record<string, string> = { purchase_receipt: 'Receiving', issue: 'Shipping' }
  const account = company.account['name'] as string
  const happened = [
    ...traded.map(({ m }) => m).filter(({ kind }) => kind in KINDS),
    ...moves.filter((m) => m.kind === 'production_receipt' && isTraced(m.item_id, m.batch_no)),
  ]
  const documentFor = (m: Move): (string | null)[] => {
    if (m.grn_no !== null) return ['goods receipt', m.grn_no]
    if (m.order_no !== null) return ['sales order', m.order_no]
    if (m.invoice_no !== null) return ['invoice', m.invoice_no]
    if (m.kind === 'purchase_receipt') return [null, null]
    return m.work_order_no === null ? ['batch', m.batch_no] : ['work order', m.work_order_no]
  }
  const groups = grouped(happened, (m) => [m.kind, m.item_id, m.batch_no, m.movement_date, documentFor(m)])
  const records = groups.map((group) => {
    const [m] = group as [Move]
    const item = of.item.of(m.item_id)
    const batch = m.batch_no === null ? undefined : of.batch.of(batchKey(m.item_id, m.batch_no))
    const places = group.map(({ warehouse_id }) => {
      const w = of.warehouse.of(warehouse_id)
      return inOneLine(w.location, w.address, w.address2, w.city, w.state, w.pincode, w.country)
    })
    const here = [account, [...new Set(places)].sort(byText).join('; ')]
    const party = partyAt(company, m)
    const [from, to] = m.kind === 'purchase_receipt' ? [party, here] : m.kind === 'issue' ? [here, party] : [here, here]
    const bought = moves.filter(
      (one) => one.kind === 'purchase_receipt' && one.item_id === m.item_id && one.batch_no === m.batch_no,
    )
    const vendors = [...new Set(bought.flatMap((one) => vendorOf(company, one)?.name ?? []))].sort(byText).join('; ')
    const used = moves.filter((one) => one.for_item_id === m.item_id && one.for_batch_no === m.batch_no)
    const inputs = grouped(used, (one) => [one.item_id, one.batch_no]).map((lots) => {
      const [lot] = lots as [Move]
      const { sku, unit } = of.item.of(lot.item_id)
      return {
        sku,
        no: lot.batch_no,
        text: `${sku} ${lot.batch_no ?? '-'} ${format(sum(lots.map(({ qty }) => qty)), 4)} ${unit}`,
      }
    })
    const isMade = m.kind === 'production_receipt'
    const [document_kind, document_no] = documentFor(m)
    return {
      ...{ event: KINDS[m.kind] ?? 'Transformation', lot: m.batch_no, item: item.sku, description: item.name },
      ...{ qty: format(sum(group.map(({ qty }) => qty)), 4), unit: item.unit, date: m.movement_date },
      ...{ from_name: from[0], from_address: from[1], to_name: to[0], to_address: to[1] },
      lot_source: batch?.source === 'PROCURED' ? vendors || null : account,
      ...{ document_kind, document_no },
      input_lots:
        (isMade &&
          inOrder(inputs, 'sku', 'no')
            .map(({ text }) => text)
            .join('; ')) ||
        null,
    }
  })
  return inOrder(records, 'event', 'lot', 'item', 'date', 'document_kind', 'document_no')
}

/** Name and address of the other side of a receipt or a shipment. */
function partyAt(company: Company, m: Move): (string | null)[] {
  if (m.kind === 'purchase_receipt') {
    const vendor = vendorOf(company, m)
    return vendor === undefined ? [null, null] : [vendor.name, placeOf(vendor, '') || null]
  }
  if (m.kind !== 'issue') return []
  const customer = customerOfSale(company, m)
  const address =
    m.order_no === null
      ? customer && placeOf(customer, 'shipping_')
      : placeOf(shippingOf(books(company).salesOrder.of(m.order_no), customer ?? customerOf(company, null)), '')
  return [customer?.name ?? null, address || null]
}

const shows = { links, batches, parties, events }

export const trace = (company: Company, { show, direction, ...start }: Params) =>
  shows[show || 'links'](company, { ...start, direction: direction || 'both' })
