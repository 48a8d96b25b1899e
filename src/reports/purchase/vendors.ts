/** Vendors: their addresses, contacts and agreed times to pay. */
import { sql } from '../../db/sql.js'
import { Integer, Naming, Text } from '../../kernel/report/fields.js'
import { Optional, TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { vendor } from '../shared/things.js'
import { only, place } from '../shared/words.js'

export default defineReport({
  id: 'purchase.vendors',
  method: 'POST',
  path: '/v1/purchase/vendors',
  title: 'Vendors',
  summary: 'Vendors with their addresses, contacts and times to pay',
  askedAs: [
    'suppliers, vendors: address, phone, email, contact person, GST number',
    'credit days and payment terms of vendors',
  ],
  description: 'One record per vendor, ordered by `code`.',
  request: { code: Optional(TextParam('Only the vendor with this code.', 'V002')) },
  perPage: 100,
  record: {
    name: Naming(Text("The vendor's name."), vendor('code')),
    code: Naming(Text("The vendor's code, unique."), vendor('code')),
    credit_days: Integer('Days to pay an invoice.'),
    ...place,
  },
  people: ['name', 'city', 'state', 'phone', 'email', 'credit_days', 'code'],
  orderBy: ['code'],
  listing: true,
  query: ({ code }) => sql`
    select v.name, v.code, v.credit_days, v.address1, v.address2, v.city, v.state, v.country, v.pincode, v.gstn, v.phone, v.email
      from vendor v where true ${only(code, (one) => sql`v.code = ${one}`)}`,
})
