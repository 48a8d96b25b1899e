import { Code, type Column, Optional, Text } from '../columns.js'
import { defineEntity } from '../entity.js'

const address = (use: 'billing' | 'shipping'): Record<string, Column> => {
  const parts = { buyer: 'name', address1: 'first line', address2: 'second line', city: 'city', state: 'state' }
  const more = { country: 'country', pincode: 'postal code', gstn: 'tax registration', phone: 'phone', email: 'email' }
  return Object.fromEntries(
    Object.entries({ ...parts, ...more }).map(([part, what]) => [
      `${use}_${part}`,
      Optional(Text(`Of the ${use} address: ${what}.`), ''),
    ]),
  )
}

export default defineEntity({
  name: 'customers',
  table: 'customer',
  about: 'One row per customer.',
  key: ['code'],
  columns: {
    code: Code('Code of the customer, unique.', { example: 'C001' }),
    name: Text('Name.', { example: 'Pune Retail LLP' }),
    contact_person: Optional(Text('Whom to talk to.')),
    ...address('billing'),
    ...address('shipping'),
  },
})
