/** Guarantees of every report; a new report is covered once it is in the list. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Group } from '../../src/groups.js'
import { checkReport } from '../../src/kernel/answer/statement.js'
import { reports } from '../../src/reports/index.js'
import { closeExample } from '../../src/surfaces/docs/examples.js'
import { openSample } from '../setup/database.js'
import { requestsFor, someRequestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { long } from '../setup/tier.js'

const TODAY = '2026-06-30'
const range = { from_date: '2026-05-01', to_date: TODAY }
/** Reports with few records on a small sample. */
const FEW = ['inventory.stock-value', 'insight.vendor-performance', 'history.closed-periods']

interface Schema {
  $ref?: string
  anyOf?: Schema[]
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
}

let service: Service
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
let openapi: any
/** Has the schemas of the document, so that each is compiled once. */
const ajv = new Ajv2020({ strict: false, allErrors: true })
beforeAll(async () => {
  service = await startService(
    {},
    await openSample({ today: TODAY, ...(long ? { scale: 0.2, months: 4 } : { scale: 0.1, months: 2 }) }),
  )
  await closeExample(service.database)
  openapi = (await service.call({ path: '/openapi.json' })).json()
  addFormats.default(ajv)
  ajv.addSchema({ components: openapi.components }, 'openapi')
})
afterAll(() => service.close())

const tokens = new Map<string, Promise<string>>()
/** The token of a client with these groups and no other. */
function tokenWith(groups: readonly Group[]): Promise<string> {
  const name = [...groups].sort().join()
  const token = tokens.get(name) ?? service.newCaller({ groups: [...groups] }).then((caller) => caller.token)
  tokens.set(name, token)
  return token
}

it('the OpenAPI document is valid', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(openapi))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  expect(openapi.openapi).toBe('3.1.0')
})

it('the OpenAPI document names the host that the caller used', async () => {
  const document = (await service.call({ path: '/openapi.json', headers: { host: 'books.example:8443' } })).json()
  expect(document.servers).toEqual([{ url: 'http://books.example:8443' }])
  const { flows } = document.components.securitySchemes.oauth2
  expect(flows.password.tokenUrl).toBe('http://books.example:8443/oauth2/token')
  expect(openapi.servers[0].url).not.toBe(document.servers[0].url)
})

describe.each(reports.map((report) => [report.id, report] as const))('%s', (_id, report) => {
  const requests = someRequestsFor(report, range, { vendor_code: ['V002'] })
  const [request = {}] = requests
  /** A few days only, for walks over pages of one record. */
  const [few = {}] = requestsFor(report, { ...range, from_date: '2026-06-06' })
  const { path, method } = report

  it('is in the OpenAPI document with a description of every field', () => {
    const operation = openapi.paths[path]?.[method.toLowerCase()]
    expect(operation.summary).toBe(report.summary)
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '408', '413', '415', '422', '500', '503']),
    )
    const undescribed: string[] = []
    const walk = (schema: Schema, at: string) => {
      const { properties = {}, items, anyOf = [], $ref } = schema
      if ($ref !== undefined) walk(componentOf($ref), at)
      for (const one of anyOf) walk(one, at)
      for (const [name, field] of Object.entries(properties)) {
        const described = name === 'data' || (field.description ?? componentOf(field.$ref ?? '')?.description)
        if (!described) undescribed.push(`${at}.${name}`)
        walk(field, `${at}.${name}`)
      }
      if (items) walk(items, `${at}[]`)
    }
    walk(operation.responses['200'].content['application/json'].schema, 'response')
    if (operation.requestBody) walk(operation.requestBody.content['application/json'].schema, 'request')
    for (const { name, description } of operation.parameters) if (!description) undescribed.push(name)
    expect(undescribed).toEqual([])
  })

  it('gives 401 without a token and with an invalid one', async () => {
    for (const token of [null, 'wrong', service.caller.refreshToken]) {
      const answer = await service.call({ path, body: request, token })
      expect(answer.statusCode).toBe(401)
      expect(answer.headers['content-type']).toContain('application/problem+json')
      expect([answer.headers['www-authenticate']].flat()[0]).toMatch(/^Bearer realm="millbook"/)
    }
  })

  it('gives 403 to a client without its group', async () => {
    const other = report.group === 'grn' ? 'masters' : 'grn'
    const [allowed, refused] = await Promise.all([
      tokenWith([report.group, ...(report.needs?.(request as never) ?? [])]),
      tokenWith([other]),
    ])
    expect((await service.call({ path, body: request, token: allowed })).statusCode).toBe(200)
    const answer = await service.call({ path, body: request, token: refused })
    expect(answer.statusCode).toBe(403)
    expect(answer.headers['www-authenticate']).toContain('insufficient_scope')
  })

  it('gives 422 for invalid input and names every invalid field', async () => {
    const names = Object.keys(report.request)
    const bad = { ...Object.fromEntries(names.map((name) => [name, { not: 'this' }])), unknown_one: 1 }
    const answer = await service.call({ path, body: bad, query: { 'per-page': 5001, page: 'x' } })
    expect(answer.statusCode).toBe(422)
    expect(
      answer
        .json()
        .errors.map((error: { field: string }) => error.field)
        .sort(),
    ).toEqual([...names, 'unknown_one', 'page', 'per-page'].sort())
  })

  it('gives 422 for missing parameters and names them all', async () => {
    const required = Object.entries(report.request).flatMap(([name, param]) => (param.required ? [name] : []))
    if (required.length === 0) return
    const answer = await service.call({ path })
    expect(answer.statusCode).toBe(422)
    expect(answer.json().errors.map((error: { field: string }) => error.field)).toEqual(required)
  })

  it('has records in the sample that match the declared schema', async () => {
    const { $ref } = openapi.paths[path][method.toLowerCase()].responses['200'].content['application/json'].schema
    // The usual form of each variant; answers.test.ts has the others.
    const forms = componentOf($ref).anyOf.filter(
      (one: Schema) => !/(Changes|Totals|Fields)Result$/.test(one.$ref ?? ''),
    )
    const check = ajv.compile({ anyOf: forms.map(({ $ref }: Schema) => ({ $ref: `openapi${$ref}` })) })
    let rows = 0
    for (const body of requests) {
      const answer = await service.call({ path, body, query: { 'per-page': 5000 } })
      expect(answer.statusCode).toBe(200)
      check(answer.json())
      expect(check.errors ?? []).toEqual([])
      rows += answer.json().data.length
    }
    expect(rows).toBeGreaterThan(0)
  })

  it.each(long ? [1, 7, 20, 1000] : [7, 1000])('has pages of %i that concatenate to the whole', async (size) => {
    const whole = (await service.call({ path, body: few, query: { 'per-page': 5000 } })).json()
    const all = []
    let pages = 0
    for (let page = 1; ; page++) {
      const { data, _links, _meta } = (
        await service.call({ path, body: few, query: { page, 'per-page': size } })
      ).json()
      all.push(...data)
      pages++
      const pageCount = Math.ceil(whole.data.length / size)
      expect(_meta).toEqual({ totalCount: whole.data.length, pageCount, currentPage: page, perPage: size })
      if (_links.next === undefined) break
      expect(new URL(_links.next.href).searchParams.get('page')).toBe(String(page + 1))
    }
    expect(all.length).toBeGreaterThan(FEW.includes(report.id) ? 0 : 4)
    expect(all).toEqual(whole.data)
    expect(new Set(all.map((row) => JSON.stringify(row))).size).toBe(all.length)
    expect(pages).toBe(Math.max(1, Math.ceil(whole.data.length / size)))
    const past = await service.call({ path, body: few, query: { page: pages + 5, 'per-page': size } })
    expect(past.json().data).toEqual([])
    expect(past.json()._meta.totalCount).toBe(whole.data.length)
  })

  it('returns its first page without page parameters if it declares a page size, otherwise all records', async () => {
    const answer = (await service.call({ path, body: request })).json()
    const everything = (await service.call({ path, body: request, query: { 'per-page': 5000 } })).json().data
    expect(answer.data).toEqual(everything.slice(0, report.perPage))
    expect('_meta' in answer).toBe(report.perPage !== undefined)
    const page = (await service.call({ path, body: request, query: { page: 1 } })).json()
    expect(page._meta.perPage, 'if a request has a page without its size').toBe(report.perPage ?? 20)
  })

  it('has a query with every declared field', () => checkReport(service.db, report))
})

it('no report has a phone number or an email address for a client that must not see them', async () => {
  const { db } = service
  const columns = await db<{ table: string; column: string }[]>`
    select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public' and column_name ~ '(phone|email)$'`
  for (const { table, column } of columns)
    await db.unsafe(`update ${table} set ${column} = 'CONTACT' where ${column} is not null`)
  await db`update data_version set version = version + 1, committed_at = clock_timestamp()`
  const { token } = await service.newCaller({ hideContacts: true })
  const showing = async (by: string) => {
    const found: string[] = []
    for (const report of reports)
      for (const body of requestsFor(report, { ...range, from_date: '2026-06-06' })) {
        if (Object.keys(body).some((name) => !report.request[name]?.required)) continue // filters do not change the fields
        const answer = await service.call({ path: report.path, body, query: { 'per-page': 5000 }, token: by })
        expect(answer.statusCode).toBe(200)
        if (answer.body.includes('CONTACT') && !found.includes(report.id)) found.push(report.id)
      }
    return found
  }
  expect(await showing(token)).toEqual([])
  expect((await showing(service.caller.token)).length, 'other clients see some of them').toBeGreaterThan(1)
})

const componentOf = ($ref: string) => openapi.components.schemas[$ref.replace('#/components/schemas/', '')]
