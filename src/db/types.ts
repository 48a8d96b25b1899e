/** How values of PostgreSQL's types reach this program; those not named here stay the text that PostgreSQL sends. */

/** By the type's number in pg_type. A 64-bit integer, a decimal, a date and a time would lose by becoming a number or a Date. */
const parsers: Record<number, (text: string) => unknown> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'), // bytea, as \x…
  ...{ 21: Number, 23: Number, 26: Number, 700: Number, 701: Number }, // smallint, integer, oid, real, double precision
  ...{ 114: JSON.parse, 3802: JSON.parse }, // json, jsonb
  1184: (text) => new Date(text), // timestamptz
}

const asText = (text: string): string => text

export const parserOf = (type: number): ((text: string) => unknown) => parsers[type] ?? asText
