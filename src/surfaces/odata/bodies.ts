/** The bodies of answers in JSON: the service document, a page of records, one record. */
import type { Calendar } from '../../views/definition.js'
import type { Form } from './negotiate.js'
import type { Table } from './tables.js'

export function serviceDocument(
  tables: readonly Table[],
  service: string,
  { today }: Calendar,
  { metadata }: Form,
): string {
  const value = tables
    .filter((table) => table.usual(today) !== undefined)
    .map(({ name, title }) => ({ name, title, kind: 'EntitySet', url: name }))
  return JSON.stringify({ ...(metadata !== 'none' && { '@odata.context': `${service}$metadata` }), value })
}

const COMMA = Buffer.from(',')

export function collection(
  records: readonly Buffer[],
  { context, count, link }: { context: string; count: number | undefined; link: string | undefined },
  { metadata, exact }: Form,
): Buffer {
  const head = [
    metadata !== 'none' && `"@odata.context":${JSON.stringify(context)}`,
    count !== undefined && `"@odata.count":${exact ? `"${count}"` : count}`,
    '"value":[',
  ].filter((part) => part !== false)
  const pieces: Buffer[] = [Buffer.from(`{${head.join(',')}`)]
  for (const [i, record] of records.entries()) {
    if (i > 0) pieces.push(COMMA)
    pieces.push(record)
  }
  pieces.push(Buffer.from(link === undefined ? ']}' : `],"@odata.nextLink":${JSON.stringify(link)}}`))
  return Buffer.concat(pieces)
}

export function entity(record: Buffer, context: string, { metadata }: Form): Buffer {
  if (metadata === 'none') return record
  const start = Buffer.from(`{"@odata.context":${JSON.stringify(context)}${record.length > 2 ? ',' : ''}`)
  return Buffer.concat([start, record.subarray(1)])
}
