/** The report of what loads changed: what it is asked, what it refuses, and its formats. That it is complete is tested in history.test.ts. */
import { afterEach, beforeEach, expect } from 'vitest'
import { groups } from '../../src/groups.js'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { databaseForThisTest } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { good } from '../setup/good-files.js'
import { type Service, startService } from '../setup/service.js'
import { sameOnBoth } from '../setup/tier.js'

const PATH = '/v1/history/changes'
let service: Service
beforeEach(async () => {
  service = await startService({}, await databaseForThisTest())
  await load(service.database, findFiles(folderOf(good)), { actor: 'asha' })
  await load(
    service.database,
    findFiles(
      folderOf({
        'customers.csv': 'code,name,billing_phone\nC1,"=Customer, new",+91 20 5550 0000\n',
        'invoice_items.csv': (good['invoice_items.csv'] as string).replace('I1,SO1,1,1,2', 'I1,SO1,1,1,1'),
      }),
    ),
    { actor: 'vikram' },
  )
})
afterEach(() => service.app.close())

const ask = (body: object, query = {}, who = {}) => service.call({ path: PATH, body, query, ...who })
const data = async (body: object, query = {}) => {
  const answer = await ask(body, query)
  expect({ status: answer.statusCode, text: answer.statusCode === 200 ? '' : answer.body }).toEqual({
    status: 200,
    text: '',
  })
  return answer.json().data
}

sameOnBoth('tells the changes of the last load, of a row, of a file and of versions', async () => {
  const last = await data({})
  expect(last).toMatchObject([
    {
      ...{ version: 2, actor: 'vikram', source: 'customers.csv and 1 more', entity: 'customers' },
      ...{ key: { code: 'C1' }, change: 'changed' },
      fields: {
        name: { before: 'Customer', after: '=Customer, new' },
        billing_phone: { before: '', after: '+91 20 5550 0000' },
      },
    },
    {
      entity: 'invoice_items',
      key: { invoice_no: 'I1', line_no: 1 },
      fields: { qty: { before: '2.0000', after: '1.0000' } },
    },
  ])
  expect(last[0].loaded_at).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  const first = await data({ from_version: 0, to_version: '1' }, { 'per-page': 500 })
  expect(new Set(first.map(({ change }: { change: string }) => change))).toEqual(new Set(['new', 'changed']))
  expect(first.find(({ entity }: { entity: string }) => entity === 'account')).toMatchObject({
    key: {},
    change: 'changed',
  })
  const ofInvoice = await data({ from_version: 0, key: 'I1' })
  expect(ofInvoice.map(({ version, entity, change }: Record<string, unknown>) => [version, entity, change])).toEqual([
    [1, 'invoice_items', 'new'],
    [1, 'invoices', 'new'],
    [2, 'invoice_items', 'changed'],
  ])
  expect(await data({ from_version: 0, key: 'I1', entity: 'invoices' })).toHaveLength(1)
  const ofItem = await data({ from_version: 0, key: 'CMB1' })
  expect(ofItem.map(({ entity }: { entity: string }) => entity)).toEqual(['combos', 'items'])
  expect(await data({ key: 'nothing' })).toEqual([])
  expect(await data({ from_version: 2, to_version: 2 })).toEqual([])
  // As an earlier version knew it, its own changes are the last.
  expect((await data({}, { as_known: 1 }))[0]).toMatchObject({ version: 1, actor: 'asha' })
})

sameOnBoth('follows, pages and filters like every report, and its files have what the records have', async () => {
  const page = await ask({ from_version: 0 }, { page: 2, 'per-page': 3 })
  expect(page.json()._meta).toMatchObject({ currentPage: 2, perPage: 3 })
  expect(await data({ from_version: 0 }, { filter: 'change=changed', fields: 'entity,version' })).toEqual([
    { entity: 'account', version: 1 },
    { entity: 'customers', version: 2 },
    { entity: 'invoice_items', version: 2 },
  ])
  const start = (await ask({}, { since: 'start' })).json()
  await load(service.database, findFiles(folderOf({ 'customers.csv': 'code,name\nC1,Again\n' })))
  const since = (await ask({}, { since: start._since.token })).json()
  expect(since.removed).toEqual([
    { version: 2, entity: 'customers', key: { code: 'C1' } },
    { version: 2, entity: 'invoice_items', key: { invoice_no: 'I1', line_no: 1 } },
  ])
  const csv = await ask({ from_version: 1, to_version: 2 }, { format: 'csv' })
  expect(csv.body).toContain('"{""invoice_no"":""I1"",""line_no"":1}"')
  expect((await ask({}, { filter: 'key=I1' })).json().errors[0].message).toMatch(/single values/)
})

sameOnBoth(
  'needs the rights of all groups, hides contacts, and refuses versions to come and forgotten ones',
  async () => {
    const some = await service.newCaller({ groups: groups.filter((group) => group !== 'grn') })
    expect((await ask({}, {}, some)).json()).toMatchObject({ status: 403, detail: expect.stringContaining('grn') })
    const guarded = await service.newCaller({ hideContacts: true })
    const hidden = (await ask({}, {}, guarded)).json().data
    expect(Object.keys(hidden[0].fields)).toEqual(['name'])
    const problem = async (body: object) => {
      const answer = (await ask(body)).json()
      return [answer.status, answer.errors?.[0]?.field ?? answer.detail, answer.errors?.[0]?.message]
    }
    expect(await problem({ to_version: 3 })).toEqual([
      422,
      'to_version',
      'must be a version that was loaded; the present one is 2, and 3 is to come',
    ])
    expect(await problem({ from_version: 2, to_version: 1 })).toEqual([
      422,
      'from_version',
      'must not be after to_version (1), but is 2',
    ])
    expect(await problem({ from_version: -1 })).toEqual([
      422,
      'from_version',
      'must be the number of a version of the data, from 0, not -1',
    ])
    expect((await problem({ entity: 'invoice' }))[1]).toBe('entity')
    await service.database.db`select forget_history(now(), 1000000)`
    expect(await problem({ from_version: 0 })).toEqual([
      410,
      'What was changed then is not kept; changes after version 2 are. Ask with from_version=2 or a later one.',
      undefined,
    ])
    expect(await data({ from_version: 2 })).toEqual([])
  },
)
