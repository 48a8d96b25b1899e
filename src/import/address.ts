/** The columns of an address that stands beside others in a row. */
import { type Column, Optional, Text } from './columns.js'

const parts = {
  ...{ buyer: 'name', address1: 'first line', address2: 'second line', city: 'city', state: 'state' },
  ...{ country: 'country', pincode: 'postal code', gstn: 'tax registration', phone: 'phone', email: 'email' },
}

export const address = (use: 'billing' | 'shipping', fallback: string | null): Record<string, Column> =>
  Object.fromEntries(
    Object.entries(parts).map(([part, what]) => [
      `${use}_${part}`,
      Optional(Text(`Of the ${use} address: ${what}.`), fallback),
    ]),
  )
