/** Active materials, services and semi-finished goods. */
import type { Company } from '../setup/company.js'
import { itemMaster } from './finished-goods.js'

export const material = (company: Company) => itemMaster(company, ['MAT', 'SRV', 'SFG'])
