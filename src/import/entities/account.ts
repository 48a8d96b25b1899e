import { sql } from '../../db/sql.js'
import { stagedRows } from '../checks.js'
import { Currency, Integer, Optional, Text, TimeZone } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'account',
  table: 'account',
  about: 'The account itself: one row.',
  order: 10,
  key: [],
  columns: {
    name: Text('Name of the company.', { example: 'Annapurna Snacks Private Limited' }),
    time_zone: TimeZone('Its time zone; business dates are calendar dates in it.'),
    address1: Optional(Text('First line of its address.'), ''),
    address2: Optional(Text('Second line.'), ''),
    city: Optional(Text('City.'), ''),
    state: Optional(Text('State.'), ''),
    country: Optional(Text('Country.'), ''),
    pincode: Optional(Text('Postal code.'), ''),
    gstn: Optional(Text('Tax registration.'), ''),
    phone: Optional(Text('Phone number.'), ''),
    email: Optional(Text('Email address.'), ''),
    currency: Optional(Currency('Its currency, and that of all amounts in reports.'), 'INR'),
    year_begins: Optional(Integer(1, 'Month in which its financial year begins, from 1 to 12.', { example: '4' }), '4'),
  },
  rules: [
    { column: 'year_begins', holds: sql`s.year_begins <= 12`, expects: 'a month from 1 to 12' },
    {
      column: 'currency',
      holds: sql`s.currency = (select currency from account)
                 or not exists (select from purchase_order where exchange_rate is not null)
                and not exists (select from sales_order where exchange_rate is not null)
                and not exists (select from invoice where exchange_rate is not null)`,
      expects:
        'the stored currency, because stored documents have exchange rates in it; load into a new database to change it',
    },
  ],
  changes: {
    changed: sql`
      select s.line from ${stagedRows('account')} s join account t on t.currency is distinct from s.currency`,
  },
  grants: businessData,
})
