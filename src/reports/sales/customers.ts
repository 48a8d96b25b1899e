/** Customers: their addresses and contacts. */
import { sql } from '../../db/sql.js'
import { Naming, Nested, OrNull, Text } from '../../kernel/report/fields.js'
import { Optional, TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { customer } from '../shared/things.js'
import { addressColumns, only, place } from '../shared/words.js'

const address = { buyer: Text('Name of the buyer.'), ...place }

export default defineReport({
  id: 'sales.customers',
  method: 'POST',
  path: '/v1/sales/customers',
  title: 'Customers',
  summary: 'Customers with their addresses and contacts',
  askedAs: [
    'customers, clients, buyers: address, phone, email, contact person, GST number',
    'customer list by city or state',
  ],
  description: 'One record per customer, ordered by `code`.',
  request: { code: Optional(TextParam('Only the customer with this code.', 'C001')) },
  perPage: 100,
  record: {
    name: Naming(Text("The customer's name."), customer('code')),
    code: Naming(Text("The customer's code, unique."), customer('code')),
    contact_person: OrNull(Text('Contact person at the customer.')),
    billing: Nested('Billing address.', address),
    shipping: Nested('Delivery address, for orders without their own.', address),
  },
  people: ['name', 'billing.city', 'billing.state', 'contact_person', 'billing.phone', 'billing.email', 'code'],
  orderBy: ['code'],
  listing: true,
  query: ({ code }) => sql`
    select c.name, c.code, c.contact_person, ${addressColumns('billing', 'c.billing')}, ${addressColumns('shipping', 'c.shipping')}
      from customer c where true ${only(code, (one) => sql`c.code = ${one}`)}`,
})
