import type { Company } from '../setup/company.js'
import { warehouseKey } from './books.js'
import { byText } from './order.js'

export const warehouseList = ({ warehouse }: Company) =>
  [...warehouse]
    .sort((a, b) => byText(a.location, b.location))
    .map(({ location, address, city, pincode, gstn, code }) => ({
      ...{ location, address, city, pincode, gstn },
      key: warehouseKey(code),
    }))
