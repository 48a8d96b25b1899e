"""Writes the workbooks of test/fixtures/workbooks with openpyxl, after exports of real programs: python test/setup/workbooks.py DIR"""

import random
import sys
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font

D = Decimal
CENTS = D("0.01")
BOLD = Font(bold=True)


def save(book, folder, name, into):
    path = Path(into) / folder
    path.mkdir(parents=True, exist_ok=True)
    book.save(path / name)


def head(sheet, rows):
    """Title rows, merged over the first columns as Tally does."""
    for row in rows:
        sheet.append([row])
        sheet.merge_cells(start_row=sheet.max_row, start_column=1, end_row=sheet.max_row, end_column=4)
        sheet.cell(sheet.max_row, 1).alignment = Alignment(horizontal="center")


def bold_row(sheet):
    for cell in sheet[sheet.max_row]:
        cell.font = BOLD


GOODS = [
    ("Cow Ghee 1 kg", "Nos", "590.00"),
    ("Cow Ghee 500 g", "Nos", "305.50"),
    ("Besan Laddu 400 g", "Box", "182.40"),
    ("Aloo Bhujia 200 g", "Pkt", "46.25"),
    ("Mango Pickle 1 kg", "Nos", "212.00"),
]
PARTIES = ["Asha Stores", "Vikram Provision, Pune", "Total Foods LLP", "Nandini Traders", "Hotel Sagar"]


def tally_sales_register(into):
    """Two years, with numbers that begin anew each April; the items of a voucher stand below its party, in the same column."""
    rng = random.Random(1)
    book = Workbook()
    sheet = book.active
    sheet.title = "Sales Register"
    head(sheet, ["Annapurna Foods Private Limited", "14, MIDC Industrial Area", "Pune", "Sales Register", "1-Apr-24 to 31-Mar-26"])
    sheet.append(["Date", "Particulars", "Voucher Type", "Voucher No.", "GSTIN/UIN", "Quantity", "Rate", "Value", "Gross Total", "Sales @ 5%", "CGST", "SGST", "Round Off"])
    bold_row(sheet)
    sums = [D(0)] * 6
    for year in (2024, 2025):
        day = date(year, 4, 2)
        for number in range(1, 31):
            day += timedelta(days=rng.randint(2, 10))
            lines = [(rng.choice(GOODS), rng.randint(1, 40)) for _ in range(rng.randint(1, 4))]
            value = sum((D(rate) * qty for (_, _, rate), qty in lines), D(0))
            tax = (value * D("0.025")).quantize(CENTS)
            exact = value + 2 * tax
            total = exact.quantize(D(1))
            party = rng.choice(PARTIES)
            sheet.append([day, party, "Sales", number, f"27AABCU96{PARTIES.index(party):02}R1ZM", None, None, value, total, value, tax, tax, total - exact])
            sheet.cell(sheet.max_row, 1).number_format = "d-mmm-yy"
            for (name, unit, rate), qty in lines:
                sheet.append([None, name, None, None, None, f"{qty} {unit}", f"{rate}/{unit}", D(rate) * qty])
            for i, part in enumerate((value, total, value, tax, tax, total - exact)):
                sums[i] += part
    sheet.append([None, "Grand Total", None, None, None, None, None, *sums])
    bold_row(sheet)
    save(book, "tally-sales", "Sales Register.xlsx", into)


def tally_stock_summary(into):
    """Groups above their items, headings in two rows, units in the formats of the numbers."""
    rng = random.Random(2)
    groups = {
        "Finished Goods": [(name, unit, rate) for name, unit, rate in GOODS],
        "Packing Material": [("Glass Jar 1 kg", "Nos", "14.20"), ("Carton 12", "Nos", "22.00"), ("Label roll", "Roll", "310.00")],
        "Raw Material": [("Milk, cow", "Ltr", "52.00"), ("Besan", "Kgs", "88.50"), ("Sugar M-30", "Kgs", "42.10")],
    }
    book = Workbook()
    sheet = book.active
    sheet.title = "Stock Summary"
    head(sheet, ["Annapurna Foods Private Limited", "Stock Summary", "1-Apr-25 to 31-Mar-26"])
    top = sheet.max_row + 2
    for place, name in ((1, "Particulars"), (2, "Opening Balance"), (5, "Inwards"), (8, "Outwards"), (11, "Closing Balance")):
        sheet.cell(top, place, name).font = BOLD
    for place in range(2, 14):
        sheet.cell(top + 1, place, ("Quantity", "Rate", "Value")[(place - 2) % 3]).font = BOLD
    total = [D(0)] * 4
    for group, items in groups.items():
        at = sheet.max_row + 1
        rows = []
        for name, unit, rate in items:
            opening, came, went = (D(rng.randint(1, 9000)) / 10 for _ in range(3))
            opening += went
            closing = opening + came - went
            rows.append((name, unit, D(rate), (opening, came, went, closing)))
        values = [[(qty * rate).quantize(CENTS) for qty in quantities] for _, _, rate, quantities in rows]
        sums = [sum((row[i] for row in values), D(0)) for i in range(4)]
        total = [a + b for a, b in zip(total, sums)]
        sheet.append([group, None, None, sums[0], None, None, sums[1], None, None, sums[2], None, None, sums[3]])
        for cell in sheet[at]:
            cell.font = BOLD
        for (name, unit, rate, quantities), value in zip(rows, values):
            cells = [name]
            for qty, amount in zip(quantities, value):
                cells += [qty, rate, amount]
            sheet.append(cells)
            sheet.cell(sheet.max_row, 1).alignment = Alignment(indent=1)
            for place in (2, 5, 8, 11):
                sheet.cell(sheet.max_row, place).number_format = f'#,##0.000" {unit}"'
    sheet.append(["Grand Total", None, None, total[0], None, None, total[1], None, None, total[2], None, None, total[3]])
    bold_row(sheet)
    save(book, "tally-stock", "Stock Summary.xlsx", into)


def zoho_invoices(into):
    """One row per line, with the head of the invoice in each of its rows; texts as Zoho Books exports them."""
    rng = random.Random(3)
    book = Workbook()
    sheet = book.active
    sheet.title = "Invoice"
    sheet.append(["Invoice Date", "Invoice ID", "Invoice Number", "Invoice Status", "Customer ID", "Customer Name", "Place of Supply", "GST Treatment", "GST Identification Number (GSTIN)", "Due Date", "PurchaseOrder", "Currency Code", "Exchange Rate", "SubTotal", "Total", "Balance", "Item Name", "SKU", "Item Desc", "Quantity", "Usage unit", "Item Price", "Item Tax %", "Item Tax Amount", "Item Total", "HSN/SAC", "Billing Address", "Billing City", "Billing State", "Billing Code"])
    for number in range(1, 41):
        day = date(2026, 4, 1) + timedelta(days=number * 2 // 3)
        who = rng.randrange(len(PARTIES))
        lines = [(rng.choice(GOODS), rng.randint(1, 30)) for _ in range(rng.randint(1, 5))]
        parts = [(name, unit, D(rate), qty, (D(rate) * qty).quantize(CENTS), (D(rate) * qty * D("0.12")).quantize(CENTS)) for (name, unit, rate), qty in lines]
        sub, tax = sum((p[4] for p in parts), D(0)), sum((p[5] for p in parts), D(0))
        status = "Void" if number == 7 else "Draft" if number == 19 else rng.choice(["Paid", "Overdue", "Sent"])
        for name, unit, rate, qty, amount, own in parts:
            sheet.append([day.strftime("%d/%m/%Y"), f"15897700000{number:05}", f"INV-{number:06}", status, f"C-{who + 1:03}", PARTIES[who], "MH", "business_gst", f"27AABCU96{who:02}R1ZM", (day + timedelta(days=30)).strftime("%d/%m/%Y"), f"PO/{number * 3}" if number % 3 == 0 else None, "INR", "1.00", f"INR {sub:,.2f}", f"INR {sub + tax:,.2f}", "INR 0.00", name, f"FG-{[g[0] for g in GOODS].index(name) + 1:03}", None, f"{qty:.2f}", unit, f"{rate:.2f}", "12", f"{own:.2f}", f"{amount:.2f}", "21069099", f"{who + 3}, Market Road", "Pune", "Maharashtra", f"4110{who:02}"])
    save(book, "zoho-invoices", "Invoice.xlsx", into)


def quickbooks_items(into):
    """The list of products and services, and the valuation of the inventory with its total."""
    rng = random.Random(4)
    book = Workbook()
    sheet = book.active
    sheet.title = "Products"
    head(sheet, ["Millbrook Soap Co.", "Product/Service List"])
    sheet.append([])
    sheet.append(["Product/Service Name", "Sales Description", "SKU", "Type", "Sales Price / Rate", "Taxable", "Income Account", "Purchase Description", "Purchase Cost", "Expense Account", "Quantity On Hand", "Reorder Point", "Inventory Asset Account"])
    bold_row(sheet)
    other = book.create_sheet("Inventory Valuation Summary")
    head(other, ["Millbrook Soap Co.", "Inventory Valuation Summary", "As of June 30, 2026"])
    other.append([])
    other.append([None, "SKU", "Qty", "Asset Value", "Calc. Avg"])
    bold_row(other)
    quantity, value = D(0), D(0)
    for i, name in enumerate(["Lavender bar", "Oat & honey bar", "Charcoal bar", "Shaving soap", "Gift box of three", "Olive oil drum", "Lye"]):
        cost, price = D(rng.randint(100, 900)) / 100, D(rng.randint(900, 2500)) / 100
        qty = D(rng.randint(0, 400))
        worth = (qty * cost).quantize(CENTS)
        sheet.append([name, f"{name}, handmade", f"SOAP-{i + 1}", "Inventory", price, "yes", "Sales of Product Income", name, cost, "Cost of Goods Sold", qty, 25, "Inventory Asset"])
        other.append([name, f"SOAP-{i + 1}", qty, worth, cost])
        other.cell(other.max_row, 4).number_format = '"$"#,##0.00' if i == 0 else "#,##0.00"
        quantity, value = quantity + qty, value + worth
    for name in ("Workshop, half a day", "Gift wrapping"):
        sheet.append([name, None, None, "Service", D("45.00"), "no", "Services", None, None, None, None, None, None])
    other.append(["TOTAL", None, quantity, value, None])
    bold_row(other)
    save(book, "quickbooks-items", "Products and services.xlsx", into)


def stock_book(into):
    """Kept by hand: a tab for what was there, a tab per month, dates as texts and as dates, and sums without a label."""
    rng = random.Random(5)
    items = [("Pine board 2 m", "nos", "240"), ("Screws 4x40", "kg", "180.50"), ("Wood glue", "ltr", "310"), ("Varnish", "ltr", "455.25")]
    book = Workbook()
    sheet = book.active
    sheet.title = "Opening"
    sheet.append(["Opening stock on 1-Apr-2026"])
    sheet.append(["Item", "Qty", "Unit", "Rate", "Value"])
    total, stock = D(0), {}
    for name, unit, rate in items:
        stock[name] = D(rng.randint(200, 400))
        sheet.append([name, stock[name], unit, D(rate), stock[name] * D(rate)])
        total += stock[name] * D(rate)
    sheet.append(["Total", None, None, None, total])
    for month, title in ((4, "April 2026"), (5, "May 2026"), (6, "June 2026")):
        sheet = book.create_sheet(title)
        sheet.append([f"Stock book {title}"])
        sheet.append(["Date", "Item", "In", "Out", "Unit", "Rate", "Remarks"])
        came, went = D(0), D(0)
        for day in range(1, 29):
            if day % 7 == 0:
                sheet.append([])
                continue
            for _ in range(rng.randint(1, 2)):
                name, unit, rate = rng.choice(items)
                when = date(2026, month, day)
                written = when if rng.random() < 0.5 else when.strftime("%d-%m-%Y")
                if rng.random() < 0.5:
                    qty = D(rng.randint(10, 60))
                    came += qty
                    row = [written, name, qty, None, unit, D(rate), "from Patil timber"]
                else:
                    qty = min(D(rng.randint(5, 30)), stock[name])
                    went += qty
                    row = [written, name, None, qty, unit, D(rate), "to the workshop"]
                stock[name] += (row[2] or 0) - (row[3] or 0)
                sheet.append(row)
                if not isinstance(written, str):
                    sheet.cell(sheet.max_row, 1).number_format = "dd-mm-yyyy"
        sheet.append([None, None, came, went, None, None, None])
    save(book, "stock-book", "Stock book 2026.xlsx", into)


def production_log(into):
    """A row per batch, and a sheet with what the batches used; both with totals."""
    rng = random.Random(6)
    book = Workbook()
    log = book.active
    log.title = "Production"
    log.append(["Production log, plant 2"])
    log.append([])
    log.append(["Date", "Shift", "Batch No.", "Product", "Produced (Kgs)", "Rejected", "QC", "Operator"])
    used = book.create_sheet("Consumption")
    used.append(["Date", "Batch No.", "Product", "Raw material", "Qty used", "UOM", "Rate", "Amount"])
    recipes = {"Chakki atta": [("Wheat", "1.02", "28.40")], "Besan fine": [("Chana dal", "1.06", "71.00")], "Multigrain mix": [("Wheat", "0.71", "28.40"), ("Chana dal", "0.22", "71.00"), ("Ragi", "0.10", "44.75")]}
    sums = [D(0), D(0), D(0), D(0)]
    for number in range(1, 61):
        day = date(2026, 4, 1) + timedelta(days=number)
        product = rng.choice(list(recipes))
        made = D(rng.randint(200, 900))
        bad = D(rng.randint(0, 12))
        batch = f"B-{number:04}"
        log.append([day, rng.choice("AB"), batch, product, made, bad, rng.choice(["Pass", "Pass", "Pass", "Hold"]), rng.choice(["Ramesh", "Sunita"])])
        log.cell(log.max_row, 1).number_format = "dd/mm/yyyy"
        for i, (material, part, rate) in enumerate(recipes[product]):
            qty = (made * D(part)).quantize(D("0.001"))
            amount = (qty * D(rate)).quantize(CENTS)
            used.append([day if i == 0 else None, batch if i == 0 else None, product if i == 0 else None, material, qty, "Kgs", D(rate), amount])
            used.cell(used.max_row, 1).number_format = "dd/mm/yyyy"
            sums[2] += qty
            sums[3] += amount
        sums[0] += made
        sums[1] += bad
    log.append(["Total", None, None, None, sums[0], sums[1]])
    used.append(["Total", None, None, None, sums[2], None, None, sums[3]])
    save(book, "production-log", "Production 2026.xlsx", into)


if __name__ == "__main__":
    for make in (tally_sales_register, tally_stock_summary, zoho_invoices, quickbooks_items, stock_book, production_log):
        make(sys.argv[1])
