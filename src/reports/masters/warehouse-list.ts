/** Warehouse list: one record per warehouse. */
import { sql } from '../../db/sql.js'
import { OrNull, Text } from '../../kernel/report/fields.js'
import { defineReport } from '../../kernel/report/report.js'

export default defineReport({
  id: 'masters.warehouse-list',
  method: 'GET',
  path: '/v1/warehouse/warehouse-list',
  title: 'Warehouses',
  summary: 'Warehouses',
  askedAs: [
    'list of warehouses, godowns, depots and stores',
    'where our warehouses are: address, city, GST number of a location',
  ],
  description: 'All warehouses of the account, ordered by `location`.',
  request: {},
  perPage: 20,
  record: {
    location: Text('Name of the warehouse; other reports show it as `warehouse`.'),
    address: Text('Street address.'),
    city: OrNull(Text('City.')),
    pincode: OrNull(Text('Postal code.')),
    gstn: OrNull(Text('Tax registration of the warehouse; null or empty where it has none.')),
    key: Text('Identifier of the warehouse, 32 lowercase hex characters; other reports show it as `wh_id`.'),
  },
  people: ['location', 'city', 'address', 'pincode', 'gstn'],
  orderBy: ['location'],
  query: () => sql`
    select location, address, city, pincode, gstn, key from warehouse`,
})
