/** The columns of an address, where a row has several. */
import { type Column, Optional, Text } from './columns.js'

const parts = {
  ...{ buyer: 'name', address1: 'first line', address2: 'second line', city: 'city', state: 'state' },
  ...{ country: 'country', pincode: 'postal code', gstn: 'tax registration', phone: 'phone', email: 'email' },
}

export const address = <Use extends 'billing' | 'shipping'>(use: Use, fallback: string | null) =>
  Object.fromEntries(
    Object.entries(parts).map(([part, what]) => [
      `${use}_${part}`,
      Optional(Text(`Of the ${use} address: ${what}.`), fallback),
    ]),
  ) as Record<`${Use}_${keyof typeof parts}`, Column>
