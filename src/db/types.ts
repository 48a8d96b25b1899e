/** Parses values of PostgreSQL's types; all types that are not listed stay the text that PostgreSQL sends. */

/** By type OID. 64-bit integers, decimals, dates and times stay text, because a number or a Date cannot hold them exactly. */
const parsers: Record<number, (text: string) => unknown> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'), // bytea, as \x…
  ...{ 21: Number, 23: Number, 26: Number, 700: Number, 701: Number }, // smallint, integer, oid, real, double precision
  ...{ 114: JSON.parse, 3802: JSON.parse }, // json, jsonb
  1184: (text) => new Date(text), // timestamptz
}

const asText = (text: string): string => text

export const parserOf = (type: number): ((text: string) => unknown) => parsers[type] ?? asText
