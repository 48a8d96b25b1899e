/** The OpenAPI document uses only features that code generators support, and its examples are valid. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, it } from 'vitest'
import { catalogue } from '../../src/errors.js'
import type { JsonSchema } from '../../src/kernel/report/json-schema.js'
import { reports } from '../../src/reports/index.js'
import { openapi } from '../../src/surfaces/docs/openapi.js'
import * as surfaces from '../../src/surfaces/list.js'

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
const document = openapi(Object.values(surfaces), reports, 'https://books.example') as any
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI operation
const operations: any[] = Object.values(document.paths).flatMap((path) => Object.values(path as object))

/** Every object of the document, with the path to it. */
function* objects(value: unknown, at: string): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [at, value as Record<string, unknown>]
  for (const [name, inner] of Object.entries(value))
    if (name !== 'example' && name !== 'examples') yield* objects(inner, `${at}/${name}`)
}

it('every enum has a type, and nothing is a const', () => {
  for (const [at, object] of objects(document, '')) {
    if (Array.isArray(object['enum'])) {
      expect(['string', 'integer'], at).toContain(object['type'])
      expect(new Set(object['enum'].map((word) => typeof word)).size, at).toBe(1)
    }
    expect(object, at).not.toHaveProperty('const')
  }
})

it('a value has one type beside null; only whole responses and requests may have alternatives', () => {
  for (const [at, object] of objects(document, ''))
    for (const one of [...((object['anyOf'] ?? []) as object[]), ...((object['oneOf'] ?? []) as object[])])
      expect(Object.keys(one), at).toEqual(['$ref'])
})

it('every property has a type', () => {
  for (const [at, { properties }] of objects(document, ''))
    for (const [name, { type, $ref, anyOf }] of Object.entries((properties ?? {}) as Record<string, JsonSchema>))
      expect(type ?? $ref ?? anyOf, `${at} ${name}`).toBeDefined()
})

it('records, requests and results have names, and no two operations share one', () => {
  const names = operations.map((operation) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  for (const report of reports) {
    const operation = document.paths[report.path][report.method.toLowerCase()]
    const { schema } = operation.responses[200].content['application/json']
    expect(document.components.schemas).toHaveProperty(schema.$ref.split('/').at(-1))
  }
})

it('a parameter that is a number has the type of the contract', () => {
  const typeOf = (name: string, parameter: string) =>
    document.components.schemas[`${name}Request`].properties[parameter].type
  expect(typeOf('InventoryFgStockStatus', 'tax')).toBe('integer')
  expect(typeOf('SalesGrossMargin', 'tax')).toBe('string')
  expect(typeOf('PartnerInvetorySnapshot', 'limit')).toBe('string')
  expect(typeOf('PartnerMaterialMaster', 'limit')).toBe('integer')
})

it('snapshot has no example, because only the service can issue a valid one', () => {
  for (const { parameters = [] } of operations)
    for (const { name, example, schema } of parameters)
      if (name === 'snapshot') expect([example, schema.example, schema.examples, schema.pattern]).toEqual(Array(4))
})

it('reports take a token by the http bearer scheme or by OAuth 2, whose URLs are absolute, and an app password by Basic', () => {
  const { bearer, oauth2, appPassword } = document.components.securitySchemes
  expect(bearer).toMatchObject({ type: 'http', scheme: 'bearer' })
  expect(appPassword).toMatchObject({ type: 'http', scheme: 'basic' })
  expect(oauth2.flows.clientCredentials.tokenUrl).toBe('https://books.example/oauth2/token')
  expect(document.servers).toEqual([{ url: 'https://books.example' }])
  for (const { path, method, group } of reports)
    expect(document.paths[path][method.toLowerCase()].security).toEqual([
      ...[{ bearer: [] }, { oauth2: [group] }, { appPassword: [] }],
    ])
})

it('every report lists every error that it can return', () => {
  const without = [404, 405, 409, 501]
  const statuses = Object.values(catalogue).map(({ status }) => status)
  for (const { path, method } of reports) {
    const listed = Object.keys(document.paths[path][method.toLowerCase()].responses).map(Number)
    expect(listed).toEqual([...new Set([200, 304, ...statuses])].filter((status) => !without.includes(status)).sort())
  }
})

it('the examples match their schemas', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'openapi', components: document.components }) // each of its schemas is compiled once
  const check = (schema: object, example: unknown) => {
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')))
    validate(example)
    expect(validate.errors ?? []).toEqual([])
  }
  for (const { parameters = [], requestBody, responses } of operations) {
    for (const { schema, example } of parameters) if (example !== undefined) check(schema, example)
    const { schema, example } = requestBody?.content['application/json'] ?? {}
    if (schema !== undefined) check(schema, example)
    const answer = (responses[200] ?? responses[201]).content['application/json']
    for (const { value } of Object.values(answer?.examples ?? {}) as { value: unknown }[]) check(answer.schema, value)
  }
  for (const report of reports) {
    const { examples } =
      document.paths[report.path][report.method.toLowerCase()].responses[200].content['application/json']
    expect(Object.keys(examples)).toHaveLength(report.shapes.size)
  }
})
