"""Fills a Tryton through its own client library, changes it, and prints its own figures as JSON.

TRYTOND_DATABASE_URI=postgresql://… python tryton.py DATABASE fill|change|figures
"""
import datetime
import json
import os
import sys
from decimal import Decimal

os.environ.setdefault('DB_NAME', sys.argv[1])  # the tools of 6.0 read it

from proteus import Model, Wizard, config
from trytond.modules.account.tests.tools import create_chart, create_fiscalyear, create_tax, get_accounts
from trytond.modules.account_invoice.tests.tools import create_payment_term, set_fiscalyear_invoice_sequences
from trytond.modules.company.tests.tools import create_company, get_company
from trytond.modules.currency.tests.tools import get_currency

_, database, action = sys.argv
connection = config.set_trytond(database)
get = Model.get
Location, Product, Lot = get('stock.location'), get('product.product'), get('stock.lot')
Sale, Purchase, Invoice = get('sale.sale'), get('purchase.purchase'), get('account.invoice')
Production, Party, Move = get('production'), get('party.party'), get('stock.move')
UNIT = 'unit' if 'unit' in Move._fields else 'uom'
# All in one year, which has the books' only fiscal year.
TODAY = datetime.date.today()


def day(n):
    return max(TODAY - datetime.timedelta(days=n), datetime.date(TODAY.year, 1, 1))


def one(model, *domain):
    record, = model.find(list(domain))
    return record


def enter():
    "Works as a user of the company."
    User = get('res.user')
    connection._context = User.get_preferences(True, {})


# --- filling ---------------------------------------------------------------------------------------------------------------------


def product(code, name, unit, category, price, cost, method, **more):
    Template = get('product.template')
    template = Template(name=name, default_uom=unit, type=more.pop('type', 'goods'), account_category=category)
    template.purchasable = more.pop('purchasable', False)
    template.salable = more.pop('salable', False)
    template.producible = more.pop('producible', False)
    template.list_price = Decimal(price)
    template.cost_price_method = method
    lots = more.pop('lots', False)
    made, = template.products
    if 'suffix_code' in made._fields:
        made.suffix_code = code
    made.cost_price = Decimal(cost)
    template.save()
    made, = template.products
    if lots:
        LotType = Model.get('stock.lot.type') if 'stock.lot.type' in known_models() else None
        template.lot_required = LotType.find([]) if LotType else ['storage', 'supplier', 'customer', 'production']
        template.save()
    return Product(made.id)


def known_models():
    field = 'model' if 'model' in get('ir.model')._fields else 'name'
    return {getattr(m, field) for m in get('ir.model').find([])}


def offer(code, party, days, *prices, **more):
    "Prices are (least quantity, price), in the unit in which the product is purchased."
    record = get('purchase.product_supplier')(party=one(Party, ('name', '=', party)))
    record.template = one(Product, ('code', '=', code)).template
    if days is not None:
        record.lead_time = datetime.timedelta(days)
    for name, value in more.items():
        setattr(record, name, value)
    for quantity, price in prices:
        line = record.prices.new()
        line.quantity, line.unit_price = quantity, Decimal(price)
    record.save()


def inventory(location, date, **quantities):
    Inventory = get('stock.inventory')
    record = Inventory(location=location, date=date)
    for code, quantity in quantities.items():
        line = record.lines.new()
        line.product = one(Product, ('code', '=', code))
        line.quantity = quantity
    record.save()
    record.click('confirm')
    assert record.state == 'done', record.state
    return record


def order(model, party, date, lines, until='confirm', **more):
    "Lines are (code, quantity, unit's name or None, price or None); without a code, they are a text with a price."
    record = model(party=one(Party, ('name', '=', party)))
    record.payment_term = get('account.invoice.payment_term').find([])[0]
    methods = [name for name, _ in model._fields['invoice_method']['selection']]
    # From 7.2 on, shipment is called fulfillment.
    record.invoice_method = methods[-1] if more.pop('when_shipped', False) else 'order'
    record.warehouse = more.pop('warehouse', None) or one(Location, ('code', '=', 'WH'))
    for name, value in more.items():
        setattr(record, name, value)
    for code, quantity, unit, price in lines:
        line = record.lines.new()
        if code:
            line.product = one(Product, ('code', '=', code))
        else:
            line.description = 'Freight'
        line.quantity = quantity
        if unit:
            line.unit = one(get('product.uom'), ('name', '=', unit))
        if price:
            line.unit_price = Decimal(price)
    setattr(record, 'sale_date' if model is Sale else 'purchase_date', date)
    record.save()
    for step in ['quote', 'confirm'][:['draft', 'quote', 'confirm'].index(until)]:
        record.click(step)
    if until == 'confirm' and record.state == 'confirmed':
        record.click('process')
    return model(record.id)


def receive(date, *purchases, lots=(), quantities=()):
    Shipment = get('stock.shipment.in')
    shipment = Shipment(supplier=purchases[0].party, warehouse=purchases[0].warehouse)
    shipment.effective_date = date
    shipment.reference = 'DN-%s' % purchases[0].number
    for purchase in purchases:
        for move in Purchase(purchase.id).moves:
            if move.state == 'draft':
                shipment.incoming_moves.append(Move(move.id))
    shipment.save()
    for move in shipment.incoming_moves:
        code = move.product.code
        if code in dict(lots):
            found = Lot.find([('number', '=', dict(lots)[code]), ('product', '=', move.product.id)])
            move.lot = found[0] if found else made_lot(move.product, dict(lots)[code])
        if code in dict(quantities):
            move.quantity = dict(quantities)[code]
        move.save()
    shipment.reload()
    shipment.click('receive')
    shipment.click('done' if 'done' in buttons(shipment) else 'do')
    assert shipment.state == 'done', shipment.state
    return shipment


def made_lot(of, number):
    lot = Lot(product=of, number=number)
    lot.save()
    return lot


def deliver(sale, date, lots=(), quantities=()):
    for shipment in Sale(sale.id).shipments:
        if shipment.state in ('done', 'cancelled'):
            continue
        shipment = type(shipment)(shipment.id)
        shipment.effective_date = date
        shipment.save()
        if shipment.state == 'draft':
            shipment.click('wait')
        for move in shipment.inventory_moves:
            if move.product.code in dict(lots):
                move.lot = one(Lot, ('number', '=', dict(lots)[move.product.code]), ('product', '=', move.product.id))
            if move.product.code in dict(quantities):
                move.quantity = dict(quantities)[move.product.code]
            move.save()
        shipment.reload()
        shipment.click('assign_force')
        shipment.click('pick')
        shipment.click('pack')
        shipment.click('done' if 'done' in buttons(shipment) else 'do')
        return shipment


def buttons(record):
    from trytond.pool import Pool
    return Pool(database).get(record.__class__.__name__)._buttons


def take_back(sale, date):
    for shipment in Sale(sale.id).shipment_returns:
        shipment = type(shipment)(shipment.id)
        shipment.effective_date = date
        shipment.save()
        shipment.click('receive')
        shipment.click('done' if 'done' in buttons(shipment) else 'do')


def send_back(purchase, date):
    for shipment in Purchase(purchase.id).shipment_returns:
        shipment = type(shipment)(shipment.id)
        shipment.effective_date = date
        shipment.save()
        if shipment.state == 'draft':
            shipment.click('wait')
        shipment.click('assign_force')
        shipment.click('done' if 'done' in buttons(shipment) else 'do')


def transfer(source, target, date, code, quantity, until='done', lot=None, later=None):
    Shipment = get('stock.shipment.internal')
    shipment = Shipment(from_location=source, to_location=target)
    shipment.planned_start_date, shipment.planned_date = date, later or date
    shipment.effective_start_date, shipment.effective_date = date, None if later else date
    move = shipment.moves.new()
    move.product = one(Product, ('code', '=', code))
    move.quantity = quantity
    move.from_location, move.to_location = source, target
    if lot:
        move.lot = one(Lot, ('number', '=', lot), ('product', '=', move.product.id))
    shipment.save()
    shipment.click('wait')
    if until == 'cancelled':
        shipment.click('cancel')
        return shipment
    shipment.click('assign_force')
    if shipment.transit_location:
        if 'pack' in buttons(shipment):
            shipment.click('pack')
        shipment.click('ship')
    if until == 'done':
        shipment.click('done' if 'done' in buttons(shipment) else 'do')
    return shipment


def produce(code, bom, quantity, began, ended, until='done', lot=None, lots=()):
    record = Production()
    record.warehouse = one(Location, ('code', '=', 'WH'))
    record.product = one(Product, ('code', '=', code))
    record.bom = one(get('production.bom'), ('name', '=', bom))
    record.quantity = quantity
    record.planned_start_date, record.planned_date = began, ended
    record.effective_start_date, record.effective_date = began, ended
    record.save()
    if until == 'draft':
        return record
    record.click('wait')
    for move in record.inputs:
        if move.product.code in dict(lots):
            move.lot = one(Lot, ('number', '=', dict(lots)[move.product.code]), ('product', '=', move.product.id))
            move.save()
    record.reload()
    if until == 'cancelled':
        record.click('cancel')
        return record
    if until == 'waiting':
        return record
    record.click('assign_force')
    record.click('run')
    if until == 'running':
        return record
    for move in record.outputs:
        if lot and move.product.code == code:
            found = Lot.find([('number', '=', lot), ('product', '=', move.product.id)])
            move.lot = found[0] if found else made_lot(move.product, lot)
            move.save()
    record.reload()
    record.click('done' if 'done' in buttons(record) else 'do')
    assert record.state == 'done', record.state
    return record


def bill(record, date):
    "Posts the invoices of a sale."
    for invoice in Sale(record.id).invoices:
        if invoice.state == 'draft':
            invoice = Invoice(invoice.id)
            invoice.invoice_date = date
            invoice.save()
            invoice.click('post')
    return Invoice(Sale(record.id).invoices[0].id)


def fill():
    create_company(currency=get_currency('EUR'))
    get_currency('USD')
    company = get_company()
    company.timezone = 'Europe/Berlin'
    company.save()
    year = set_fiscalyear_invoice_sequences(create_fiscalyear(company))
    year.click('create_period')
    create_chart(company)
    accounts = get_accounts(company)
    term = create_payment_term()
    term.lines[0].relativedeltas.new(days=90)  # a day in the past would need a user's consent
    term.save()
    high, low = create_tax(Decimal('.20')), create_tax(Decimal('.055'))
    high.name, low.name = 'Full', 'Food'
    high.save()
    low.save()
    Category = get('product.category')
    categories = []
    for name, tax in [('Food', low), ('Goods', high)]:
        category = Category(name=name, accounting=True)
        category.account_expense, category.account_revenue = accounts['expense'], accounts['revenue']
        category.customer_taxes.append(type(tax)(tax.id))
        category.supplier_taxes.append(type(tax)(tax.id))
        category.save()
        categories.append(category)
    food, goods = categories
    for name in ['Mill & Sons', 'Box "Factory"', 'Café Anna', "O'Neil Ltd", 'Märkte AG']:
        party = Party(name=name)
        address, = party.addresses
        address.city, address.postal_code = 'Köln', '50667'
        if 'street' in address._fields and name == 'Café Anna':
            address.street = 'Domplatz 1\nHinterhof'
        party.contact_mechanisms.new(type='email', value='mail@example.com')
        party.save()

    Uom = get('product.uom')
    kilogram, piece = one(Uom, ('name', '=', 'Kilogram')), one(Uom, ('name', '=', 'Unit'))
    Uom(name='Bag', symbol='Bag', category=kilogram.category, factor=25., rate=.04, rounding=.01, digits=2).save()
    Uom(name='Dozen', symbol='dz', category=piece.category, factor=12., rate=round(1 / 12., 12), rounding=.01, digits=2).save()
    product('FLOUR', 'Flour', kilogram, food, '1.2', '0.8', 'average', purchasable=True)
    product('SUGAR', 'Sugar', kilogram, food, '2', '1.5', 'average', purchasable=True, lots=True)
    product('BOX', 'Box', piece, goods, '1', '0.35', 'fixed', purchasable=True)
    product('DOUGH', 'Dough', kilogram, food, '3', '1', 'average', producible=True)
    product('BREAD', 'Bread', piece, food, '4.95', '2', 'average', producible=True, salable=True, lots=True)
    product('CRUMB', 'Bread crumbs', kilogram, food, '0.9', '0.1', 'fixed', salable=True)
    product('JAM', 'Jam', piece, goods, '3.333', '2.10', 'average', purchasable=True, salable=True)
    product('COURIER', 'Courier', piece, goods, '6', '0', 'fixed', type='service', salable=True)
    product('', 'Without a code', piece, goods, '1', '1', 'fixed', salable=True)

    # What suppliers ask: by the dozen, in dollars, from a quantity on, with the supplier's own lead time, and without a price.
    jam, sugar, box = (one(Product, ('code', '=', code)) for code in ['JAM', 'SUGAR', 'BOX'])
    jam.template.purchase_uom = one(Uom, ('name', '=', 'Dozen'))
    jam.template.save()
    sugar.template.expiration_state, sugar.template.expiration_time = 'optional', 400
    sugar.template.save()
    box.identifiers.new(type='ean', code='4006381333931')
    box.save()
    mill = one(Party, ('name', '=', 'Mill & Sons'))
    mill.supplier_lead_time = datetime.timedelta(6)
    mill.save()
    offer('JAM', 'Mill & Sons', None, (5., '30'), (2., '36'))
    offer('JAM', 'Box "Factory"', 10, (0., '24'), currency=get_currency('USD'))
    offer('BOX', 'Box "Factory"', 0)
    offer('BOX', 'Märkte AG', 3, (0., '0.3'), active=False)

    Bom = get('production.bom')
    for name, inputs, outputs in [
            ('dough', [('FLOUR', .6, None), ('SUGAR', 50., 'Gram')], [('DOUGH', 1., None)]),
            ('bread', [('DOUGH', 5., None), ('BOX', 10., None)], [('BREAD', 10., None), ('CRUMB', .25, None)])]:
        bom = Bom(name=name)
        for lines, rows in [(bom.inputs, inputs), (bom.outputs, outputs)]:
            for code, quantity, unit in rows:
                line = lines.new()
                line.product = one(Product, ('code', '=', code))
                line.quantity = quantity
                if unit:
                    setattr(line, UNIT, one(Uom, ('name', '=', unit)))
        bom.save()
        made = one(Product, ('code', '=', outputs[0][0]))
        made.boms.append(get('product.product-production.bom')(bom=bom))
        made.save()

    plant = one(Location, ('code', '=', 'WH'))
    lost = one(Location, ('type', '=', 'lost_found'))
    shelf = Location(name='Shelf', type='storage', parent=plant.storage_location)
    shelf.save()
    zones = {}
    for kind, name in [('input', 'Outlet in'), ('output', 'Outlet out'), ('storage', 'Outlet shop')]:
        zones[kind] = Location(name=name, type='storage')
        zones[kind].save()
    outlet = Location(name='Outlet', code='OUT2', type='warehouse', lost_found_location=lost)
    outlet.input_location, outlet.output_location, outlet.storage_location = zones['input'], zones['output'], zones['storage']
    outlet.production_location = plant.production_location
    outlet.save()
    storage, shop = plant.storage_location, zones['storage']
    one(Product, ('code', '=', 'BOX'))
    inventory(storage, day(60), BOX=500, CRUMB=1.5)

    # Purchases: in bags, in dollars, over two orders at once, in part, open, cancelled, a draft, and returned.
    flour = order(Purchase, 'Mill & Sons', day(58), [('FLOUR', 4., 'Bag', '19.9'), ('SUGAR', 30., None, '1.555')], reference='A-1')
    receive(day(55), flour, lots=[('SUGAR', 'S-1')])
    jam = order(Purchase, 'Box "Factory"', day(57), [('JAM', 10., 'Dozen', '25.25')], currency=get_currency('USD'))
    box = order(Purchase, 'Box "Factory"', day(56), [('BOX', 100., None, '0.31'), (None, 1., None, '12.345')])
    more = order(Purchase, 'Box "Factory"', day(56), [('BOX', 40., None, '0.33')])
    receive(day(50), box, more)
    receive(day(49), jam, quantities=[('JAM', 4.)])
    receive(day(40), jam, quantities=[('JAM', 5.)])
    order(Purchase, 'Mill & Sons', day(10), [('FLOUR', 2., 'Bag', '21')])
    order(Purchase, 'Mill & Sons', day(10), [('FLOUR', 9., 'Bag', '21')], until='draft')
    order(Purchase, 'Mill & Sons', day(10), [('FLOUR', 8., 'Bag', '21')], until='quote').click('cancel')
    back = order(Purchase, 'Mill & Sons', day(45), [('FLOUR', -12.5, None, '0.8')])
    send_back(back, day(44))
    sugar = order(Purchase, 'Mill & Sons', day(30), [('SUGAR', 10., None, '1.6')], warehouse=outlet)
    receive(day(29), sugar, lots=[('SUGAR', 'S-1')])

    # Productions.
    produce('DOUGH', 'dough', 40., day(48), day(47), lots=[('SUGAR', 'S-1')])
    produce('BREAD', 'bread', 50., day(46), day(46), lot='B-1')
    produce('BREAD', 'bread', 20., day(44), day(43), lot='B-2')
    produce('DOUGH', 'dough', 10., day(5), day(3), until='running', lots=[('SUGAR', 'S-1')])
    produce('BREAD', 'bread', 10., day(2), day(1), until='waiting')
    produce('BREAD', 'bread', 30., day(2), day(1), until='cancelled')
    produce('BREAD', 'bread', 70., day(2), day(1), until='draft')

    # Sales.
    anna = order(Sale, 'Café Anna', day(42), [('BREAD', 20., None, None), ('JAM', 1., 'Dozen', '37.5'), ('COURIER', 1., None, None)],
        reference='PO 7', description='Breakfast')
    deliver(anna, day(41), lots=[('BREAD', 'B-1')])
    bill(anna, day(41))
    neil = order(Sale, "O'Neil Ltd", day(38), [('JAM', 7., None, '3.335'), ('BREAD', 12., None, '4.005'), (None, 1., None, '4.5')],
        currency=get_currency('USD'))
    deliver(neil, day(36), lots=[('BREAD', 'B-1')], quantities=[('JAM', 3.)])
    bill(neil, day(36))
    outside = order(Sale, 'Märkte AG', day(20), [('JAM', 5., None, None), ('JAM', 2., None, '3')], when_shipped=True, warehouse=outlet)
    transfer(storage, shop, day(25), 'JAM', 30.)
    transfer(storage, shop, day(24), 'BREAD', 6., lot='B-2')
    transfer(storage, shelf, day(23), 'BOX', 25.)
    transfer(storage, shop, day(4), 'BOX', 11., until='shipped', later=day(0) + datetime.timedelta(days=3))
    transfer(storage, shop, day(4), 'BOX', 99., until='cancelled')
    deliver(outside, day(19))
    bill(outside, day(18))
    order(Sale, 'Café Anna', day(9), [('BREAD', 3., None, None)])
    order(Sale, 'Café Anna', day(9), [('BREAD', 300., None, None)], until='draft')
    order(Sale, 'Café Anna', day(9), [('BREAD', 400., None, None)], until='quote')
    order(Sale, 'Café Anna', day(9), [('BREAD', 500., None, None)], until='quote').click('cancel')
    given_up = order(Sale, 'Märkte AG', day(8), [('JAM', 9., None, None)])
    shipment, = given_up.shipments
    shipment.click('cancel')
    ignore = Wizard('sale.handle.shipment.exception', [Sale(given_up.id)])
    recreate = ignore.form.recreate_moves if 'recreate_moves' in ignore.form._fields else None
    while recreate:
        recreate.pop()
    if recreate is None:
        ignore.form.ignore_moves.extend(ignore.form.ignore_moves.find())
    ignore.execute('handle')

    # Returns: of an order, by Tryton's wizard; and one that comes from no order.
    Wizard('sale.return_sale', [Sale(anna.id)]).execute('return_')
    returned = one(Sale, ('origin', '=', 'sale.sale,%s' % anna.id))
    for line in list(returned.lines):
        if line.product.code == 'BREAD':
            line.quantity = -4.
        else:
            returned.lines.remove(line)
    returned.sale_date = day(30)
    returned.save()
    returned.click('quote')
    returned.click('confirm')
    returned = Sale(returned.id)
    for shipment in returned.shipment_returns:
        for move in shipment.incoming_moves:
            move = Move(move.id)
            move.lot = one(Lot, ('number', '=', 'B-1'))
            move.save()
    take_back(returned, day(29))
    bill(returned, day(16))
    stray = order(Sale, 'Märkte AG', day(15), [('JAM', -2., None, '3.1'), ('JAM', 1., None, '3.2')])
    take_back(stray, day(14))
    deliver(stray, day(14))
    bill(stray, day(13))

    # Counts, waste, and an invoice that is credited.
    inventory(storage, day(12), BOX=430.)
    inventory(shop, day(12), JAM=25.)
    transfer(storage, lost, day(11), 'FLOUR', 1.25)
    extra = Invoice(type='out', party=one(Party, ('name', '=', 'Café Anna')), invoice_date=day(7))
    extra.payment_term = get('account.invoice.payment_term').find([])[0]
    line = extra.lines.new()
    line.product = one(Product, ('code', '=', 'COURIER'))
    line.quantity, line.unit_price = 3., Decimal('5.555')
    extra.save()
    extra.click('post')
    credit = Wizard('account.invoice.credit', [extra])
    credit.form.with_refund = False
    if 'invoice_date' in credit.form._fields:
        credit.form.invoice_date = day(6)
    credit.execute('credit')
    note, = [i for i in Invoice.find([('state', '=', 'draft'), ('type', '=', 'out')]) if i.lines and i.lines[0].quantity == -3]
    note.invoice_date = day(6)
    note.save()
    note.click('post')


def change():
    "One document that changes, one that is deleted, and one that is dated before others."
    sale = one(Sale, ('reference', '=', 'PO 7'), ('origin', '=', None))  # its return has the same reference
    sale.reference = 'PO 77'
    sale.save()
    cancelled = one(Sale, ('state', '=', 'cancelled'))
    cancelled.delete()
    late = order(Purchase, 'Mill & Sons', day(54), [('FLOUR', 3., None, '0.9')])
    receive(day(53), late)


# --- its own figures -------------------------------------------------------------------------------------------------------------


def figures():
    stock, lots, worth = {}, {}, {}
    everywhere = []
    inside = {}
    for location in Location.find([('type', '=', 'storage')]):
        top = location
        while top.parent and top.type != 'warehouse':
            top = top.parent
        inside.setdefault(top.name, []).append(location.id)
        everywhere.append(location.id)

    def name(p):
        return p.code or 'P%s' % p.id
    goods = Product.find([('type', '=', 'goods')])
    for warehouse, ids in inside.items():
        with connection.set_context(locations=ids, with_childs=False):
            for p in Product.find([('type', '=', 'goods')]):
                if round(p.quantity, 4):
                    stock['%s in %s' % (name(p), warehouse)] = '%.4f' % p.quantity
            for lot in Lot.find([]):
                if round(lot.quantity, 4):
                    lots['%s %s in %s' % (name(lot.product), lot.number, warehouse)] = '%.4f' % lot.quantity
    with connection.set_context(locations=everywhere, with_childs=False):
        for p in Product.find([('type', '=', 'goods')]):
            worth[name(p)] = '%.2f' % (Decimal(str(p.quantity)) * p.cost_price)

    def amounts(record):
        return '%s %s %s %s' % (record.untaxed_amount, record.tax_amount, record.total_amount, record.currency.code)

    def moved(record, sign):
        return {
            '%s %s' % (record.number, line.product.code): '%.4f' % (sign * sum(
                m.internal_quantity * (1 if m.to_location.type in ('customer', 'storage') and m.from_location.type != 'customer' else -1)
                for m in line.moves if m.state == 'done'))
            for line in record.lines if line.type == 'line' and line.product}

    sales = {s.number: amounts(s) for s in Sale.find([('state', 'in', ['confirmed', 'processing', 'done'])])}
    purchases = {p.number: amounts(p) for p in Purchase.find([('state', 'in', ['confirmed', 'processing', 'done'])])}
    invoices = {i.number: amounts(i) for i in Invoice.find([('type', '=', 'out'), ('state', 'in', ['posted', 'paid'])])}
    print(json.dumps(dict(stock=stock, lots=lots, worth=worth, sales=sales, purchases=purchases, invoices=invoices)))


enter() if action != 'fill' else None
dict(fill=fill, change=change, figures=figures)[action]()
