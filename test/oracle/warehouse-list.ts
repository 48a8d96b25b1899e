import type { Company } from '../setup/company.js'
import { byText } from './order.js'

export const warehouseList = ({ warehouse }: Company) =>
  [...warehouse]
    .sort((a, b) => byText(a.location, b.location))
    .map(({ location, address, city, pincode, gstn, key }) => ({ location, address, city, pincode, gstn, key }))
