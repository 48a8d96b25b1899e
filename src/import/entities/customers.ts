import { address } from '../address.js'
import { Code, Optional, Text } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'customers',
  table: 'customer',
  about: 'One row per customer.',
  order: 70,
  key: ['code'],
  columns: {
    code: Code('Code of the customer, unique.', { example: 'C001' }),
    name: Text('Name.', { example: 'Pune Retail LLP', longest: 500 }),
    contact_person: Optional(Text('Whom to talk to.')),
    ...address('billing', ''),
    ...address('shipping', ''),
  },
  grants: businessData,
})
