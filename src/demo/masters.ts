/** The sample's masters: a snack maker's warehouses, products, recipes, materials, vendors and customers. */
import { createHash } from 'node:crypto'
import type { Paise } from './amounts.js'
import { rupees } from './amounts.js'
import * as names from './names.js'
import type { Random } from './random.js'
import type { Emit, RowOf } from './rows.js'

/** Indexes of the warehouses in their list. */
export const PLANTS = [0, 1] as const
export const ONLINE_STORE = 5

export interface Warehouse {
  location: string
  state: string
  gstn: string | null
}

export interface Item {
  sku: string
  name: string
  type: 'FG' | 'SFG' | 'COMBO' | 'MAT' | 'SRV'
  unit: 'PCS' | 'KG' | 'LTR' | 'NOS' | 'JOB'
  taxRate: number
  /** The initial cost of one unit: its purchase price, or the cost of its recipe. */
  cost: Paise
  /** The sales price of one unit, before tax. */
  price: Paise
  mrp: Paise
  /** Kept in stock without batches. */
  loose: boolean
  /** Never bought, made or sold by the departments; the stories move theirs. */
  idle: boolean
  /** Bought: ready made, or as a material. */
  vendor: number
  /** The plant that makes it; both plants use a material. */
  plant: number
  /** Days until a batch expires. */
  life: number
  /** The day on which the company stopped selling it, if any. */
  endsIn: number
  /** The items in one unit; empty for bought items. */
  recipe: { item: number; per: number }[]
  /** The contents of one unit of a combo. */
  contents: { item: number; pieces: number }[]
  /** Its share of all sales. */
  weight: number
}

/** The units that materials are bought in, by their stock unit. */
export const PACKS: Readonly<Record<string, { readonly unit: string; readonly of: number }>> = {
  NOS: { unit: 'CARTON', of: 100 },
  PCS: { unit: 'BOX', of: 24 },
}

export interface Vendor {
  code: string
  leadDays: number
  /** How often its deliveries are late. */
  late: number
  /** It sells in dollars. */
  foreign: boolean
}

export interface Customer {
  code: string
  online: boolean
  state: string
  gstn: string
  /** The warehouse that dispatches its orders. */
  warehouse: number
  discount: number
  shipping: Record<`shipping_${(typeof names.ADDRESS)[number]}`, string>
}

export interface Masters {
  warehouses: Warehouse[]
  items: Item[]
  vendors: Vendor[]
  customers: Customer[]
}

/** An address in a city; another `n` gives another one. */
export const placeIn = (city: names.City, n: number) => ({
  address1: `${(n % 480) + 1} ${names.STREETS[n % names.STREETS.length]}`,
  address2: n % 3 === 0 ? '' : `Near ${names.LANDMARKS[n % names.LANDMARKS.length]}`,
  city: city.name,
  state: city.state,
  country: 'India',
  pincode: String(city.pincode + (n % 40)),
})
export const gstnOf = (city: names.City, n: number) =>
  `${city.stateCode}AAB${'CFPT'[n % 4]}${'ABDEGHKLMNRSV'[n % 13]}${String(1000 + (n % 9000))}${'KLMNPQ'[n % 6]}1Z${n % 10}`
export const contactOf = (n: number, at: string) => ({
  phone: `+91 ${98_000 + (n % 1999)} ${String(10_000 + ((n * 7919) % 90_000))}`,
  email: `${at}${n}@example.in`,
})
export const cityNamed = (name: string) => names.CITIES.find((city) => city.name === name) as names.City

/** The columns of an address, by their names in a customer. */
export const addressFor = (use: 'billing' | 'shipping', parts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(parts).map(([part, text]) => [`${use}_${part}`, text]))

/** The number in a code. Numbers of this length that begin with 9 are reserved for the stories. */
const numbered = (n: number, digits: number) => {
  const ours = 9 * 10 ** (digits - 1)
  return String(n < ours ? n : n + ours / 9).padStart(digits, '0')
}

export function makeMasters(scale: number, days: number, random: Random, emit: Emit): Masters {
  const count = (n: number, least: number) => Math.max(least, Math.round(n * scale))

  const pune = cityNamed('Pune')
  emit('account', {
    ...{ name: 'Annapurna Snacks Private Limited', time_zone: 'Asia/Kolkata' },
    ...{ ...placeIn(pune, 11), gstn: gstnOf(pune, 1), ...contactOf(1, 'accounts') },
  })

  // A third party's warehouse has no tax registration of ours; one without an address shows the markers.
  const warehouses = names.WAREHOUSES.map(({ location, city: name, gstn }, i) => {
    const city = cityNamed(name)
    const { address1, address2, ...rest } = placeIn(city, 100 + i)
    const own = gstn === 'own' ? gstnOf(city, 1) : gstn
    const bare = location === 'Online Fulfilment Centre' ? { city: null, pincode: null } : {}
    emit('warehouses', {
      ...{ key: createHash('md5').update(location).digest('hex'), location, address: address1, address2 },
      ...{ ...rest, ...bare, gstn: own, ...contactOf(100 + i, 'store') },
      gln: gs1Number(i + 1),
    })
    return { location, state: city.state, gstn: own }
  })

  const vendors: Vendor[] = Array.from({ length: count(40, 6) }, (_, i) => {
    const city = random.pick(names.CITIES)
    const code = `V${numbered(i + 1, 4)}`
    emit('vendors', {
      ...{ code, name: `${names.PEOPLE[i % names.PEOPLE.length]} ${names.TRADES[i % names.TRADES.length]}` },
      ...{ credit_days: String(random.pick([0, 15, 30, 45, 60])), ...placeIn(city, 200 + i) },
      ...{ gstn: i % 9 === 8 ? '' : gstnOf(city, 200 + i), ...contactOf(200 + i, 'sales') },
      gln: i % 3 === 2 ? null : gs1Number(1000 + i), // not every vendor has one
    })
    return { code, leadDays: random.int(4, 18), late: i % 5 === 4 ? 0.7 : 0.15, foreign: i % 6 === 5 }
  })

  const items = makeItems(count, days, vendors.length, random)
  for (const [i, item] of items.entries()) {
    emitItem(item, i, random, emit)
    for (const terms of termsOf(item, i, vendors)) emit('item_vendors', terms)
  }
  for (const product of items) {
    for (const { item, per } of product.recipe)
      emit('bom', { product: product.sku, component: (items[item] as Item).sku, qty: per.toFixed(10) })
    for (const { item, pieces } of product.contents)
      emit('combos', { combo: product.sku, component: (items[item] as Item).sku, qty: String(pieces) })
  }

  const customers: Customer[] = Array.from({ length: count(120, 12) }, (_, i) => {
    const online = i % 4 === 3
    const city = random.pick(names.CITIES)
    const code = `C${String(i + 1).padStart(5, '0')}`
    const shopkeeper = names.PEOPLE[(i * 7) % names.PEOPLE.length] as string
    const shop = `${shopkeeper} ${names.SHOPS[i % names.SHOPS.length]}, ${city.name}`
    const person = `${names.FIRST_NAMES[(i * 5) % names.FIRST_NAMES.length]} ${shopkeeper.split(' ').at(-1)}`
    const name = names.SPECIAL_CUSTOMERS[i] ?? (online ? person : shop)
    const gstn = online ? '' : gstnOf(city, 300 + i)
    // Some customers have goods and bills sent to different cities.
    const to = !online && i % 10 === 1 ? random.pick(names.CITIES) : city
    const address = (use: 'billing' | 'shipping', at: names.City) =>
      addressFor(use, { buyer: name, ...placeIn(at, 300 + i), gstn, ...contactOf(300 + i, 'orders') })
    const shipping = address('shipping', to) as Customer['shipping']
    emit('customers', {
      ...{ code, name, contact_person: online || i % 6 === 2 ? null : person },
      ...{ ...address('billing', city), ...shipping },
    })
    const warehouse = online ? ONLINE_STORE : to.warehouse
    return { code, online, state: to.state, gstn, warehouse, discount: online ? 0 : (i % 6) * 2.5, shipping }
  })
  return { warehouses, items, vendors, customers }
}

function makeItems(count: (n: number, least: number) => number, days: number, vendors: number, random: Random): Item[] {
  const items: Item[] = []
  const add = (item: Pick<Item, 'sku' | 'name' | 'type' | 'unit' | 'taxRate' | 'cost'> & Partial<Item>): number => {
    items.push({
      ...{ price: 0, mrp: 0, loose: false, idle: false, vendor: -1, plant: 0, life: 180, endsIn: Infinity },
      ...{ recipe: [], contents: [], weight: 0, ...item },
    })
    return items.length - 1
  }
  const version = (i: number, of: number) =>
    i < of ? '' : ` ${names.RANGES[Math.floor(i / of) % names.RANGES.length]}`
  const bought = () => Math.floor(random.next() * vendors)

  const raw = Array.from({ length: count(90, 12) }, (_, i) => {
    const { name, price, unit, tax } = names.RAW[i % names.RAW.length] as (typeof names.RAW)[number]
    return add({
      ...{ sku: `RM-${numbered(i + 1, 4)}`, name: `${name}${version(i, names.RAW.length)}`, type: 'MAT', unit },
      ...{ taxRate: tax, cost: Math.round(price * (0.85 + 0.3 * random.next())), loose: true, vendor: bought() },
      idle: i % 30 === 29,
    })
  })
  const packing = Array.from({ length: count(52, 8) }, (_, i) => {
    const { name, price } = names.PACKING[i % names.PACKING.length] as (typeof names.PACKING)[number]
    return add({
      ...{ sku: `PM-${numbered(i + 1, 4)}`, name: `${name}${version(i, names.PACKING.length)}`, type: 'MAT' },
      ...{ unit: 'NOS', taxRate: 18, cost: price + random.int(0, Math.ceil(price / 4)), loose: true, vendor: bought() },
      idle: i % 26 === 25,
    })
  })
  for (let i = 0; i < count(8, 2); i++) {
    const name = names.SERVICES[i % names.SERVICES.length] as string
    add({
      ...{ sku: `SV-${numbered(i + 1, 3)}`, name: `${name}${version(i, names.SERVICES.length)}`, type: 'SRV' },
      ...{ unit: 'JOB', taxRate: 18, cost: random.int(8, 60) * 50_000, vendor: bought(), idle: i % 8 === 7 },
    })
  }
  const used = (list: number[]) => list.filter((item) => !(items[item] as Item).idle)
  const usedRaw = used(raw)
  const usedPacking = used(packing)
  const some = (from: number[], n: number) => [...new Set(Array.from({ length: n }, () => random.pick(from)))]

  const bases = Array.from({ length: count(8, 1) }, (_, i) => {
    const parts = some(usedRaw, 6)
    const weights = parts.map(() => random.int(1, 8))
    const sum = weights.reduce((a, b) => a + b, 0) / 1.04 // frying and drying lose four percent
    return add({
      ...{ sku: `SF-${numbered(i + 1, 3)}`, type: 'SFG', unit: 'KG', taxRate: 5, cost: 0, life: 60, plant: i % 2 },
      name: `${names.BASES[i % names.BASES.length]}${version(i, names.BASES.length)}`,
      recipe: parts.map((item, p) => ({ item, per: round10((weights[p] as number) / sum) })),
    })
  })

  /** A pouch and a label of the product's own size, and a carton for 24. */
  const packingOf = (size: number) => {
    const named = (name: string) =>
      usedPacking.filter((item) => (items[item] as Item).name.startsWith(`${name} ${names.SIZES[size]}`))
    const [pouches, labels, cartons] = [named('Pouch'), named('Label'), named('Carton')]
    return [
      { item: random.pick(pouches.length > 0 ? pouches : usedPacking), per: 1 },
      { item: random.pick(labels.length > 0 ? labels : usedPacking), per: 1 },
      { item: random.pick(cartons.length > 0 ? cartons : usedPacking), per: round10(1 / 24) },
    ]
  }

  const finished = Array.from({ length: count(45, 8) }, (_, i) => {
    const flavour = Math.floor(i / names.PACKS.length)
    const { name, category, tax } = names.FLAVOURS[flavour % names.FLAVOURS.length] as (typeof names.FLAVOURS)[number]
    const { grams, text } = names.PACKS[i % names.PACKS.length] as (typeof names.PACKS)[number]
    const base = bases[flavour % bases.length] as number
    const loose = i === 24 // bought and sold by weight, and stored without batches
    const procured = i % 15 === 9
    const seasoning = some(usedRaw, 4)
    const kilos = loose ? 1 : grams / 1000
    return add({
      ...{ sku: `FG-${numbered(i + 1, 4)}`, type: 'FG', unit: loose ? 'KG' : 'PCS', taxRate: tax, loose },
      name: `${name}${version(flavour, names.FLAVOURS.length)} ${loose ? 'Loose' : text}`,
      ...{
        cost: procured ? Math.round(kilos * 22_000) : 0,
        vendor: procured ? bought() : -1,
        life: category === 'Sweets' ? 75 : 180,
      },
      ...{ plant: procured ? 0 : (items[base] as Item).plant, idle: i % 22 === 21 },
      // The company stops selling one product half way through.
      endsIn: i === 13 ? Math.floor(days / 2) : Infinity,
      recipe: procured
        ? []
        : [
            { item: base, per: round10(kilos * 0.62) },
            ...seasoning.map((item, s) => ({ item, per: round10(kilos * (0.18 - s * 0.045)) })),
            ...packingOf(i % names.PACKS.length),
          ].filter(({ item }, at, all) => all.findIndex((other) => other.item === item) === at),
      weight: 1 / (random.int(1, 45) + 6),
    })
  })
  for (const item of [...bases, ...finished]) {
    const product = items[item] as Item
    if (product.recipe.length > 0)
      product.cost = Math.round(
        product.recipe.reduce((sum, part) => sum + (items[part.item] as Item).cost * part.per, 0) * 1.12,
      )
  }
  let margin = 1.6
  finished.forEach((item, i) => {
    // The packs of a flavour have one margin; one product is sold below its cost.
    if (i % names.PACKS.length === 0) margin = 1.35 + 0.6 * random.next()
    priceAt(items[item] as Item, i === 4 ? 0.82 : margin)
  })

  const sellable = finished.filter((item) => {
    const { idle, loose, endsIn } = items[item] as Item
    return !idle && !loose && endsIn === Infinity
  })
  for (let i = 0; i < count(7, 2); i++) {
    const plant = i % 2
    const own = sellable.filter((item) => (items[item] as Item).plant === plant)
    const contents = some(own.length >= 3 ? own : sellable, 2 + (i % 3)).map((item) => ({
      item,
      pieces: 1 + (item % 3),
    }))
    const packed = i % 3 === 0
    const cost = contents.reduce((sum, { item, pieces }) => sum + (items[item] as Item).cost * pieces, 0)
    const combo = add({
      ...{
        sku: `CB-${numbered(i + 1, 3)}`,
        name: `${names.COMBOS[i % names.COMBOS.length]}${version(i, names.COMBOS.length)}`,
      },
      ...{ type: 'COMBO', unit: 'PCS', taxRate: 12, cost, contents, plant, weight: 1 / 60 },
      // Gift boxes are packed ahead of the season.
      recipe: packed
        ? [...contents.map(({ item, pieces }) => ({ item, per: pieces })), { item: random.pick(usedPacking), per: 1 }]
        : [],
    })
    priceAt(items[combo] as Item, 1.5)
  }
  return items
}

function priceAt(item: Item, margin: number): void {
  item.price = Math.max(100, Math.round((item.cost * margin) / 25) * 25)
  item.mrp = Math.ceil((item.price * (1 + item.taxRate / 100) * 1.4) / 500) * 500
}

function emitItem(item: Item, index: number, random: Random, emit: Emit): void {
  const { sku, name, type, unit, taxRate, mrp, cost, endsIn, idle, loose, life } = item
  const flavour = names.FLAVOURS.find((candidate) => name.startsWith(candidate.name))
  const sold = type === 'FG' || type === 'COMBO'
  const kind = type !== 'MAT' ? null : sku.startsWith('RM') ? 'RAW' : 'PCK'
  const pack = PACKS[unit]
  if (pack !== undefined && type !== 'SRV') emit('item_units', { sku, unit: pack.unit, factor: String(pack.of) })
  emit('items', {
    ...{ sku, name, type, material_kind: kind, unit, tax_rate: String(taxRate), mrp: rupees(mrp) },
    primary_category: sold
      ? (flavour?.primary ?? 'Snacks')
      : { MAT: 'Materials', SRV: 'Services', SFG: 'Semi Finished' }[type as 'MAT'],
    product_category:
      type === 'COMBO'
        ? 'Gift Packs'
        : type === 'FG'
          ? (flavour?.category ?? 'Namkeen')
          : kind === 'RAW'
            ? 'Ingredients'
            : kind === 'PCK'
              ? 'Packaging'
              : 'General',
    business_nature:
      item.recipe.length > 0
        ? 'Manufactured'
        : type === 'COMBO'
          ? 'Assembled'
          : type === 'SRV'
            ? 'Service'
            : 'Purchased',
    hsn: sold ? (flavour?.hsn ?? '21069099') : type === 'SRV' ? '998599' : kind === 'PCK' ? '39232990' : '09109990',
    reorder_level: type === 'SRV' || idle ? '0' : String(random.int(2, 40) * (cost > 5_000 ? 5 : 50)),
    active: String(endsIn === Infinity && !(idle && type === 'FG' && sku.endsWith('4'))),
    gtin: sold ? gs1Number(100_000 + index) : null,
    shelf_life_days: type === 'SRV' || type === 'COMBO' || loose ? null : String(life),
  })
}

/** A number of GS1 in India, of 13 digits: the last one checks the others. */
export function gs1Number(n: number): string {
  const digits = `890${String(1_000_000 + n).padStart(9, '0')}`
  const sum = [...digits].reduce((all, digit, i) => all + Number(digit) * (i % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

/** The terms of an item's vendor; a third of the items have a second vendor, dearer and slower or faster. */
function termsOf(
  { sku, vendor, unit, cost, type }: Item,
  index: number,
  vendors: readonly Vendor[],
): RowOf<'item_vendors'>[] {
  const own = vendors[vendor]
  if (own === undefined || type === 'SRV') return []
  const pack = PACKS[unit]?.of ?? 5
  const terms = (other: Vendor, dearer: number, packs: number): RowOf<'item_vendors'> => ({
    ...{ sku, vendor_code: other.code, lead_days: String(other.leadDays) },
    ...{ min_qty: String(pack * packs), multiple: String(pack), price: rupees(Math.round(cost * dearer)) },
  })
  const second = vendors[(vendor + 1 + (index % 3)) % vendors.length] as Vendor
  return [terms(own, 1, 4), ...(index % 3 === 0 && second !== own ? [terms(second, 1.06, 2)] : [])]
}

const round10 = (n: number) => Number(n.toFixed(10))
