import { Code, Gln, Integer, Optional, Text } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'vendors',
  table: 'vendor',
  about: 'One row per vendor.',
  order: 60,
  key: ['code'],
  columns: {
    code: Code('Code of the vendor, unique.', { example: 'V001' }),
    name: Text('Name.', { example: 'Delhi Traders', longest: 500 }),
    credit_days: Optional(Integer(0, 'Agreed days to pay.', { example: '30' }), '0'),
    address1: Optional(Text('First line of the address.'), ''),
    address2: Optional(Text('Second line.'), ''),
    city: Optional(Text('City.'), ''),
    state: Optional(Text('State.'), ''),
    country: Optional(Text('Country.'), ''),
    pincode: Optional(Text('Postal code.'), ''),
    gstn: Optional(Text('Tax registration.'), ''),
    phone: Optional(Text('Phone number.'), ''),
    email: Optional(Text('Email address.'), ''),
    gln: Optional(Gln('Number of the place at GS1.')),
  },
  grants: businessData,
})
