/** `$metadata`: the tables in the XML of CSDL 4.0. It refers to no address outside, because strict clients fetch what it refers to. */
import type { Param, ParamType } from '../../kernel/report/params.js'
import { type EdmType, edmTypeOf, edmTypeOfParam } from './edm.js'
import { FUNCTIONS } from './filter.js'
import { functionOf, type Table } from './tables.js'

export const NAMESPACE = 'Millbook'
const CONTAINER = 'Container'

export const typeName = ({ name }: Pick<Table, 'name'>): string => `${NAMESPACE}.${name}`

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text in an attribute. Characters that XML cannot have are left out. */
export const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what XML 1.0 does not allow
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"]/g, (char) => ESCAPES[char] as string)
    .replace(/[\t\n\r]+/g, ' ')

const attributes = (all: Readonly<Record<string, string | number | undefined>>): string =>
  Object.entries(all)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escaped(String(value))}"`))
    .join('')

const described = (text: string, term = 'Description'): string =>
  `<Annotation Term="Org.OData.Core.V1.${term}" String="${escaped(text)}"/>`

const typed = ({ name, facets }: EdmType): Readonly<Record<string, string | number>> => ({ Type: name, ...facets })

export function metadata(tables: readonly Table[], today: string): string {
  const parts = tables.map((table) => partsOf(table, today))
  const all = (part: keyof ReturnType<typeof partsOf>): string => parts.map((one) => one[part]).join('')
  return `<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices><Schema Namespace="${NAMESPACE}" xmlns="http://docs.oasis-open.org/odata/ns/edm">${all('types')}${all('functions')}
<EntityContainer Name="${CONTAINER}">${all('sets')}${all('imports')}${CAPABILITIES}
</EntityContainer>
</Schema></edmx:DataServices></edmx:Edmx>
`
}

/** What clients need not try. */
const CAPABILITIES = `
<Annotation Term="Org.OData.Capabilities.V1.ConformanceLevel" EnumMember="Org.OData.Capabilities.V1.ConformanceLevelType/Minimal"/>
<Annotation Term="Org.OData.Capabilities.V1.FilterFunctions"><Collection>${FUNCTIONS.map((name) => `<String>${name}</String>`).join('')}</Collection></Annotation>
${['BatchSupported', 'CrossJoinSupported', 'AsynchronousRequestsSupported'].map((term) => `<Annotation Term="Org.OData.Capabilities.V1.${term}" Bool="false"/>`).join('')}`

function partsOf(table: Table, today: string): Record<'types' | 'functions' | 'sets' | 'imports', string> {
  const { name, alias, flat, params, title, description } = table
  const properties = Object.entries(flat.record).map(([property, field]) => {
    const nullable = field.absent === undefined ? 'false' : undefined
    return `<Property${attributes({ Name: property, ...typed(edmTypeOf(field.type)), Nullable: nullable })}>${described(plain(field.description))}</Property>`
  })
  const key = flat.key.map((property) => `<PropertyRef${attributes({ Name: property })}/>`).join('')
  const set = (called: string, more = '') =>
    `\n<EntitySet${attributes({ Name: called, EntityType: typeName(table) })}${more}>${described(`${title}: ${description}`)}</EntitySet>`
  const called = functionOf(table)
  return {
    types: `\n<EntityType${attributes({ Name: name })}><Key>${key}</Key>${properties.join('')}</EntityType>`,
    sets:
      table.usual(today) === undefined
        ? ''
        : set(name) + (alias === undefined ? '' : set(alias, ' IncludeInServiceDocument="false"')),
    functions:
      params === undefined
        ? ''
        : `\n<Function${attributes({ Name: called })}>${Object.entries(params)
            .sort(([, a], [, b]) => Number(b.required) - Number(a.required))
            .map(([param, about]) => parameter(param, about))
            .join('')}<ReturnType${attributes({ Type: `Collection(${typeName(table)})` })}/></Function>`,
    imports:
      params === undefined
        ? ''
        : `\n<FunctionImport${attributes({ Name: called, Function: `${NAMESPACE}.${called}` })}>${described(`${title}: ${description}`)}</FunctionImport>`,
  }
}

const parameter = (name: string, { type, description, required, insteadOf }: Param<unknown>): string =>
  `<Parameter${attributes({ Name: name, ...typed(edmTypeOfParam(type)), Nullable: required ? 'false' : undefined })}>${described(
    [plain(description), wordsOf(type), !required && insteadOf === undefined && 'May be null.']
      .filter(Boolean)
      .join(' '),
  )}</Parameter>`

const wordsOf = (type: ParamType): string | false => {
  if (type.kind === 'word') return `One of ${type.words.join(', ')}.`
  return type.kind === 'zero-or-one' && '0 or 1.'
}

/** Descriptions are Markdown. */
const plain = (text: string): string => text.replaceAll('`', '')
