/** Every kind of answer of every report and variant matches its own form in the OpenAPI document, not only one of the forms. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { START } from '../../src/kernel/answer/feeds.js'
import { columnsOf } from '../../src/kernel/report/columns.js'
import { reports } from '../../src/reports/index.js'
import { openSample } from '../setup/database.js'
import { requestsFor } from '../setup/requests.js'
import { type Service, startService } from '../setup/service.js'
import { runs } from '../setup/tier.js'

const TODAY = '2026-06-30'
const range = { from_date: '2026-06-01', to_date: TODAY }
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

/** One request for each variant of each report. */
const questions = reports.flatMap((report) =>
  [...report.shapes].map(([shape, { record }]) => {
    const body = requestsFor(report, range).find((one) => shape === '' || one[report.shapedBy ?? ''] === shape) ?? {}
    const names = columnsOf({ record }).map(({ name }) => name)
    return { what: `${report.id} ${shape}`.trim(), report, shape, body, names }
  }),
)
type Question = (typeof questions)[number]
type Kind = 'Result' | 'ChangesResult' | 'TotalsResult' | 'FieldsResult' | 'ViewResult'

let service: Service
let forms: Map<string, string[]>
/** The tokens of the first answers, by the question and its fields; the data has changed since. */
const tokens = new Map<string, string>()

const ask = async ({ report, body }: Question, query: Record<string, string | number>) => {
  const answer = await service.call({ path: report.path, body, query })
  expect([answer.statusCode, answer.statusCode === 200 ? '' : answer.body]).toEqual([200, ''])
  return answer.json()
}

beforeAll(async () => {
  service = await startService({}, await openSample({ today: TODAY, scale: 0.1, months: 2 }))
  const openapi = (await service.call({ path: '/openapi.json' })).json()
  ajv.addSchema({ $id: 'openapi', components: openapi.components })
  forms = new Map(
    reports.map(({ id, path, method }) => {
      const { schema } = openapi.paths[path][method.toLowerCase()].responses[200].content['application/json']
      const { anyOf } = openapi.components.schemas[schema.$ref.split('/').at(-1)]
      return [id, anyOf.map(({ $ref }: { $ref: string }) => $ref.split('/').at(-1))]
    }),
  )
  for (const question of questions)
    for (const fields of ['contract', 'all'])
      tokens.set(`${question.what} ${fields}`, (await ask(question, { since: START, fields }))._since.token)
  await changeEverything()
}, 300_000)
afterAll(() => service.close())

/** Changes and removes records of most reports. */
async function changeEverything(): Promise<void> {
  await service.db.unsafe(`
    begin;
    set local session_replication_role = replica; -- no foreign keys: the lines of a removed document may stay
    update item set name = name || ' (new)', sku = case when id % 7 = 0 then sku || '-NEW' else sku end;
    update warehouse set address = address || ' (new)';
    update purchase_order set reference = 'new';
    delete from purchase_order where hashtext(po_no) % 7 = 0;
    delete from goods_receipt where hashtext(grn_no) % 7 = 0;
    delete from sales_order where hashtext(order_no) % 7 = 0;
    delete from invoice where hashtext(invoice_no) % 7 = 0;
    delete from stock_movement where hashtext(movement_no) % 7 = 0;
    commit;
    update data_version set version = version + 1, committed_at = clock_timestamp()`)
}

/** The names of the forms that an answer matches. */
const matching = ({ report }: Question, answer: unknown): string[] =>
  (forms.get(report.id) ?? []).filter((name) => ajv.validate(`openapi#/components/schemas/${name}`, answer))

const kindOf = (name: string): string =>
  /(Changes|Totals|Fields|View)?Result$/.exec(name.replace(/^HistoryChanges/, ''))?.[0] ?? ''

/** The name of the form that a question gets; the forms of one kind are in the order of the variants. */
const formOf = ({ report, shape }: Question, kind: Kind): string => {
  if (kind === 'ViewResult') return kind // one form for all reports
  const ofKind = (forms.get(report.id) ?? []).filter((name) => kindOf(name) === kind)
  return ofKind[[...report.shapes.keys()].indexOf(shape)] as string
}

const PAGE = { page: 1, 'per-page': 3 }

describe.each(questions.map((question) => [question.what, question] as const))('%s', (what, question) => {
  const { report, names } = question
  const chosen = names.slice(0, 2).reverse()
  const fields = chosen.join(',')
  const token = (fields: string) => tokens.get(`${what} ${fields}`) as string

  const kinds: [string, Kind, () => Record<string, string | number>][] = [
    ['as usual', 'Result', () => ({})],
    ['a page', 'Result', () => PAGE],
    ["the contract's fields", 'Result', () => ({ fields: 'contract' })],
    ['since=start', 'ChangesResult', () => ({ since: START })],
    ['a page of since=start', 'ChangesResult', () => ({ since: START, ...PAGE })],
    ['since=token', 'ChangesResult', () => ({ since: token('contract') })],
    ['a page of since=token', 'ChangesResult', () => ({ since: token('contract'), ...PAGE })],
    ['totals=yes', 'TotalsResult', () => ({ totals: 'yes' })],
    ['totals=yes with a page', 'TotalsResult', () => ({ totals: 'yes', ...PAGE })],
    ['fields=all', 'FieldsResult', () => ({ fields: 'all' })],
    ['a page of fields=all', 'FieldsResult', () => ({ fields: 'all', ...PAGE })],
    ['two fields', 'FieldsResult', () => ({ fields })],
    ['fields=all since=start', 'FieldsResult', () => ({ fields: 'all', since: START })],
    ['fields=all since=token', 'FieldsResult', () => ({ fields: 'all', since: token('all') })],
    ['two fields since=start', 'FieldsResult', () => ({ fields, since: START })],
    ['a group', 'ViewResult', () => ({ group: names[0] as string })],
    ['a page of a group', 'ViewResult', () => ({ group: names[0] as string, ...PAGE })],
  ]
  // In the quick tier a sixth for each report, another sixth for the next one.
  it.each(kinds.filter((_, i) => (i + questions.indexOf(question)) % runs(6, 1) === 0))(
    '%s',
    async (_name, kind, query) => {
      const answer = await ask(question, query())
      const form = formOf(question, kind)
      ajv.validate(`openapi#/components/schemas/${form}`, answer)
      expect(ajv.errors ?? []).toEqual([])
      if (kind === 'FieldsResult' || kind === 'ViewResult') return
      // Only the forms of chosen fields and of views require no member; the totals of two variants may be alike.
      const kinds = matching(question, answer).map(kindOf)
      if (answer.data.length > 0)
        expect(new Set(kinds)).toEqual(
          new Set([kind, ...kinds.filter((one) => one === 'FieldsResult' || one === 'ViewResult')]),
        )
    },
  )

  it('has exactly the chosen fields, in their order', async () => {
    const { data } = await ask(question, { fields })
    for (const record of data) expect(Object.keys(record)).toEqual(chosen)
    const whole = await ask(question, { fields: 'all' })
    for (const record of whole.data) expect(Object.keys(record)).toEqual(names)
    expect(data.length).toBe(whole.data.length)
    expect('_meta' in whole).toBe(report.perPage !== undefined)
  })
})

it('changes were found in most reports, and removed records in many', async () => {
  const [changed, removed] = [new Set<string>(), new Set<string>()]
  for (const question of questions) {
    const answer = await ask(question, { since: tokens.get(`${question.what} contract`) as string })
    if (answer.data.length > 0) changed.add(question.what)
    if (answer.removed.length > 0) removed.add(question.what)
  }
  expect(changed.size).toBeGreaterThan(questions.length * 0.6)
  expect(removed.size).toBeGreaterThan(questions.length * 0.3)
})

it('a form with changes comes before one without: some clients ignore members that the first form lacks', () => {
  for (const names of forms.values()) {
    const kinds = new Set(names.map(kindOf))
    expect([...kinds]).toEqual(['ChangesResult', 'Result', 'TotalsResult', 'FieldsResult', 'ViewResult'])
  }
})
