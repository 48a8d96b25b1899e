/**
 * The JSON Schemas of values and parameters, in the subset that code generators understand: each value has one type
 * besides null, and a marker is one more word of an enum or one more alternative of a pattern.
 */
import type { ValueColumn } from './columns.js'
import { mostDigits, type ValueType } from './fields.js'
import type { Param, ParamType } from './params.js'

export type JsonSchema = { readonly [key: string]: unknown }

export function valueSchema(column: ValueColumn): JsonSchema {
  const { absent, description } = column
  const schema = schemaOf(column, typeof absent === 'string' ? absent : undefined)
  return { ...schema, ...(absent === null && orNull(schema)), description }
}

const orNull = ({ type, enum: words }: JsonSchema): JsonSchema => ({
  type: [type, 'null'],
  ...(Array.isArray(words) && { enum: [...words, null] }),
})

function schemaOf(type: ValueType, marker: string | undefined): JsonSchema {
  switch (type.kind) {
    case 'text':
      return { type: 'string' }
    case 'word':
      return { type: 'string', enum: marker === undefined ? type.words : [...type.words, marker] }
    case 'flag':
      return { type: 'string', enum: ['true', 'false'] }
    case 'number':
      return { type: 'number' }
    case 'list':
      return { type: 'array', items: { type: 'string' } }
    case 'object':
      return {
        type: 'object',
        additionalProperties: type.of === 'values' ? { type: ['string', 'integer'] } : DIFFERENCE,
      }
    case 'integer':
      return type.wire === 'number' ? { type: 'integer' } : matching('-?\\d+', marker)
    case 'decimal':
      return matching(`-?\\d+\\.\\d{${type.upTo === undefined ? '' : `${type.digits},`}${mostDigits(type)}}`, marker)
    case 'date':
      return marker === undefined ? { type: 'string', format: 'date' } : matching('\\d{4}-\\d\\d-\\d\\d', marker)
    case 'timestamp':
      return matching(`\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d${type.clock === 12 ? '[AP]M' : ''}`, marker)
    case 'time':
      return matching('\\d\\d:\\d\\d:\\d\\d', marker)
  }
}

const DIFFERENCE: JsonSchema = {
  type: 'object',
  properties: { before: { type: ['string', 'null'] }, after: { type: ['string', 'null'] } },
  required: ['before', 'after'],
  additionalProperties: false,
}

const matching = (pattern: string, marker: string | undefined): JsonSchema => ({
  type: 'string',
  pattern: marker === undefined ? `^${pattern}$` : `^(${pattern}|${marker.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')})$`,
})

/** The form that the contract states and a generated client sends; `read` may accept other forms too. */
export function paramSchema(type: ParamType): JsonSchema {
  switch (type.kind) {
    case 'date':
      return { type: 'string', format: 'date' }
    case 'word':
      return { type: 'string', enum: type.words }
    case 'zero-or-one':
      return type.wire === 'string' ? { type: 'string', enum: ['0', '1'] } : { type: 'integer', enum: [0, 1] }
    case 'whole-number':
      return type.wire === 'string'
        ? { type: 'string', pattern: '^\\d{1,10}$' }
        : { type: 'integer', minimum: type.smallest, maximum: type.largest }
    case 'text':
      return { type: 'string', maxLength: type.longest, ...(type.pattern !== undefined && { pattern: type.pattern }) }
    case 'texts':
      return { type: 'array', items: { type: 'string', maxLength: type.longest }, maxItems: type.most }
  }
}

/** The form of a parameter with its default; a day that is today by default has none that stays the same. */
export const schemaOfParam = ({ type, byDefault }: Pick<Param<unknown>, 'type' | 'byDefault'>): JsonSchema => ({
  ...paramSchema(type),
  ...(byDefault !== undefined && type.kind !== 'date' && { default: byDefault }),
})
