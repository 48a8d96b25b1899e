import { sql } from '../../db/sql.js'
import { stagedRows } from '../checks.js'
import { Code, Gln, Optional, Text } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'warehouses',
  table: 'warehouse',
  about: 'One row per warehouse.',
  order: 20,
  key: ['key'],
  columns: {
    key: Code(
      'Identifier, unique. Reports show 32 lowercase hex digits as `key` and `wh_id`: this one if it is of that form, else its MD5.',
      { example: '0f343b0931126a20f133d67c2b018a3b', stored: 'code' },
    ),
    location: Text('Name, unique; reports show it as `warehouse`.', { example: 'Pune Plant', longest: 200 }),
    address: Optional(Text('Street address.'), ''),
    address2: Optional(Text('Second line of the address.'), ''),
    city: Optional(Text('City.')),
    state: Optional(Text('State.'), ''),
    country: Optional(Text('Country.'), ''),
    pincode: Optional(Text('Postal code.')),
    gstn: Optional(Text('Tax registration.')),
    phone: Optional(Text('Phone number.'), ''),
    email: Optional(Text('Email address.'), ''),
    gln: Optional(Gln('Number of the place at GS1.')),
  },
  rules: [
    {
      column: 'location',
      holds: sql`s.location !~ '^[0-9a-f]{32}$'`,
      expects: 'a name that does not look like a key',
    },
    {
      column: 'location',
      // A name that another warehouse gives up in the same load is free.
      holds: sql`not exists (select from ${stagedRows('warehouses')} o where o.location = s.location and o.line < s.line)
        and not exists (select from warehouse w where w.location = s.location and w.code <> s.key
                          and not exists (select from ${stagedRows('warehouses')} o where o.key = w.code))`,
      expects: 'a name that no other warehouse has',
    },
    {
      column: 'location',
      holds: sql`not exists (select from ${stagedRows('warehouses')} o where o.key = s.location and o.key <> s.key)
        and not exists (select from warehouse w where w.code = s.location and w.code <> s.key)`,
      expects: 'a name that is not the key of another warehouse',
    },
  ],
  grants: businessData,
})
