/** Converts the values of Parquet columns to the text of a CSV file, from the stored bits and never through a double. */
import type { SchemaElement } from 'hyparquet'
import type { Cell } from '../columns.js'

/** A value as its physical type stores it. */
export type Stored = number | bigint | boolean | Uint8Array

type Convert = (value: Stored) => Cell

/** The conversion of a column's values; undefined for a type that an import does not read. */
export function converterOf(element: SchemaElement): Convert | undefined {
  const { type, converted_type, logical_type } = element
  switch (logical_type?.type) {
    case 'DECIMAL':
      return decimal(logical_type.scale)
    case 'TIME':
      return clockTime(PER_SECOND[logical_type.unit])
    case 'TIMESTAMP':
      return timestamp(PER_SECOND[logical_type.unit])
    case 'INTEGER':
      return logical_type.isSigned ? asItIs : unsigned
    case 'UUID':
      return uuid
  }
  switch (converted_type ?? logical_type?.type) {
    case 'DECIMAL':
      return decimal(element.scale ?? 0)
    case 'DATE':
      return (days) => isoText(Number(days) * DAY)?.slice(0, 10) ?? String(days)
    case 'TIME_MILLIS':
      return clockTime(PER_SECOND.MILLIS)
    case 'TIME_MICROS':
      return clockTime(PER_SECOND.MICROS)
    case 'TIMESTAMP_MILLIS':
      return timestamp(PER_SECOND.MILLIS)
    case 'TIMESTAMP_MICROS':
      return timestamp(PER_SECOND.MICROS)
    case 'UTF8':
    case 'STRING':
    case 'ENUM':
      return text
    case 'JSON':
      return (bytes) => JSON.parse(text(bytes))
    case 'UINT_8':
    case 'UINT_16':
    case 'UINT_32':
    case 'UINT_64':
      return unsigned
    case 'INT_8':
    case 'INT_16':
    case 'INT_32':
    case 'INT_64':
    case 'NULL':
      return asItIs
    case undefined:
      if (type === 'BYTE_ARRAY') return text // some writers do not declare it as text
      if (type === 'INT96') return int96
      return type === undefined || type === 'FIXED_LEN_BYTE_ARRAY' ? undefined : asItIs
    default:
      return undefined
  }
}

/** The name of a column's type in Parquet, for messages. */
export const typeName = ({ type, converted_type, logical_type, num_children }: SchemaElement): string =>
  logical_type?.type ?? converted_type ?? type ?? (num_children ? 'STRUCT' : 'unknown')

export const isText = (element: SchemaElement): boolean => converterOf(element) === text

const PER_SECOND = { MILLIS: 1000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n }
const DAY = 86_400_000

const asItIs: Convert = (value) => value

const decoder = new TextDecoder('utf-8', { fatal: true })
const text = (bytes: Stored): string => decoder.decode(bytes as Uint8Array)

const unsigned: Convert = (value) =>
  typeof value === 'bigint' ? BigInt.asUintN(64, value) : (value as number) < 0 ? (value as number) + 2 ** 32 : value

const uuid: Convert = (bytes) => hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

const hex = (bytes: Stored) => {
  const { buffer, byteOffset, length } = bytes as Uint8Array
  return Buffer.from(buffer, byteOffset, length).toString('hex')
}

/** Drops zeros at the end of the fraction, which come from the column's type and not from the value. */
const decimal =
  (scale: number): Convert =>
  (value) => {
    const units = String(value instanceof Uint8Array ? bigEndian(value) : value)
    const digits = units.replace('-', '').padStart(scale + 1, '0')
    const point = digits.length - scale
    let end = digits.length
    while (end > point && digits[end - 1] === '0') end--
    const number = end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`
    return units.startsWith('-') ? `-${number}` : number
  }

/** Two's complement of any length. */
const bigEndian = (bytes: Uint8Array) =>
  bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex(bytes)}`))

/** Times are cut to seconds; one outside of the calendar stays a number, which no column accepts. */
const isoText = (millis: number) => (Math.abs(millis) <= 8.64e15 ? new Date(millis).toISOString() : undefined)

const momentText = (millis: number) => isoText(millis)?.slice(0, 19).replace('T', ' ') ?? String(millis)

const timestamp =
  (perSecond: bigint): Convert =>
  (value) =>
    momentText(Number(BigInt(value as bigint) / (perSecond / 1000n)))

const clockTime =
  (perSecond: bigint): Convert =>
  (value) => {
    const seconds = Number(BigInt(value as bigint | number) / perSecond)
    return [seconds / 3600, (seconds / 60) % 60, seconds % 60]
      .map((part) => String(Math.floor(part)).padStart(2, '0'))
      .join(':')
  }

/** How older writers store times: the Julian day above the nanoseconds of the day. */
const int96: Convert = (value) => {
  const days = Number((value as bigint) >> 64n) - 2_440_588
  return momentText(days * DAY + Number(BigInt.asUintN(64, value as bigint) / 1_000_000n))
}
