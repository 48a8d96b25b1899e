/** Writes the records of an .xls workbook (MS-XLS) as a bare stream, which readers take like the whole file. */
import { writeFileSync } from 'node:fs'

export type XlsRecord = readonly [type: number, body: Buffer]

const u16 = (...numbers: number[]) => Buffer.from(Uint16Array.from(numbers).buffer)

export const biff = {
  begin: (kind: 'book' | 'sheet'): XlsRecord => [0x0809, u16(0x0600, kind === 'book' ? 5 : 0x10, 0, 0, 0, 0, 0, 0)],
  end: (): XlsRecord => [0x000a, Buffer.alloc(0)],
  text: (row: number, column: number, text: string): XlsRecord => [
    0x0204,
    Buffer.concat([u16(row, column, 0, text.length), Buffer.from([1]), Buffer.from(text, 'utf16le')]),
  ],
  number: (row: number, column: number, number: number): XlsRecord => [
    0x0203,
    Buffer.concat([u16(row, column, 0), Buffer.from(Float64Array.of(number).buffer)]),
  ],
  /** A formula of one number, with its result in 8 bytes. */
  formula: (row: number, column: number, result: Buffer, flags = 0): XlsRecord => [
    0x0006,
    Buffer.concat([u16(row, column, 0), result, u16(flags, 0, 0, 3), Buffer.from([0x1e, 1, 0])]),
  ],
  /** The text that the formula before it gave. */
  string: (text: string): XlsRecord => [
    0x0207,
    Buffer.concat([u16(text.length), Buffer.from([1]), Buffer.from(text, 'utf16le')]),
  ],
  record: (type: number, ...numbers: number[]): XlsRecord => [type, u16(...numbers)],
}

export function writeXls(file: string, records: readonly XlsRecord[]): void {
  writeFileSync(file, Buffer.concat(records.flatMap(([type, body]) => [u16(type, body.length), body])))
}
