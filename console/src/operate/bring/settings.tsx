/** The menus of a rule as a whole: its header, dates, how documents are told apart, rows that are left out, fixed values. */
import type { JSX } from 'preact'
import { Constants } from './constants.js'
import { changeRule, dayOrder, formsOf, inDayOrder, keyWithYear, partsOfKey, type Rule, rulesOf } from './draft.js'
import { LeftOut } from './left-out.js'
import type { Given } from './model.js'
import type { OfTable } from './rules.js'
import { correct, entities } from './store.js'
import { columnWords } from './words.js'

const DATES: readonly (readonly [string, string])[] = [
  ['DD-MM-YYYY', 'day first: 12-04-2026 is 12 April'],
  ['MM-DD-YYYY', 'month first: 12-04-2026 is 4 December'],
]

export function Settings({ draft, table, disabled, at, rule }: OfTable & { at: number; rule: Rule }): JSX.Element {
  const { given, entity } = rule
  const change = (next: (given: Given) => Given, look = false) => correct(changeRule(draft, at, next), { look })
  const header = given.header ?? '1'
  const lines = table.sample.map(({ line }) => line)
  const headers = [...new Set([header, ...lines.flatMap((line) => [String(line), `${line}-${line + 1}`])])]
  const keys = entities.value.get(entity)?.key ?? []
  const [key = ''] = keys
  const same = keys.map((name) => columnWords(entity, name)).join(' and ')
  const parts = partsOfKey(given.columns?.[key])
  const days = table.columns.filter(({ kind }) => kind === 'date')
  const dates = formsOf(given['dates'] ?? draft.settings['dates'])
  const order = dayOrder(dates)
  const isDocument = entities.value.get(entity)?.columns.some(({ name }) => /date$/.test(name)) ?? false
  return (
    <div class="rule">
      <label>
        Header in row
        <select
          value={header}
          disabled={disabled}
          onChange={({ currentTarget: { value } }) => {
            // All rules of the table have the same header.
            const rules = rulesOf(draft, table).map(({ at }) => at)
            const next = rules.reduce((all, one) => changeRule(all, one, (own) => ({ ...own, header: value })), draft)
            correct(next, { look: true })
          }}
        >
          {headers.map((one) => (
            <option key={one} value={one}>
              {one.replace('-', ' and ')}
            </option>
          ))}
        </select>
      </label>
      <label>
        Dates in texts
        <select
          value={order}
          disabled={disabled}
          onChange={({ currentTarget: { value } }) => {
            const { dates: _, ...others } = draft.settings
            const forms = inDayOrder(formsOf(draft.settings['dates']), value)
            const settings = forms.length === 0 ? others : { ...others, dates: forms }
            const rules = draft.rules.map((one) => {
              const { dates: __, ...rest } = one.given
              return { ...one, given: rest }
            })
            correct({ settings, rules })
          }}
        >
          {order === '' && <option value="">{dates[0] ?? 'year first: 2026-04-12'}</option>}
          {DATES.map(([format, words]) => (
            <option key={format} value={format}>
              {words}
            </option>
          ))}
          {order !== '' && <option value="">year first: 2026-04-12</option>}
        </select>
      </label>
      {isDocument && parts !== undefined && days.length > 0 && (
        <label>
          {columnWords(entity, key)}
          <select
            value={parts.date ?? ''}
            disabled={disabled}
            onChange={({ currentTarget: { value } }) =>
              change((own) => ({
                ...own,
                columns: { ...own.columns, [key]: value === '' ? parts.number : keyWithYear(parts.number, value) },
              }))
            }
          >
            <option value="">{parts.number} alone</option>
            {days.map(({ name }) => (
              <option key={name} value={name}>
                {parts.number} with the year of {name}, because numbers begin anew
              </option>
            ))}
            {parts.date !== undefined && !days.some(({ name }) => name === parts.date) && (
              <option value={parts.date}>
                {parts.number} with the year of {parts.date}
              </option>
            )}
          </select>
        </label>
      )}
      <label>
        Rows with the same {same === '' ? 'key' : same.toLowerCase()}
        <select
          value={given.first ?? 'false'}
          disabled={disabled}
          onChange={({ currentTarget: { value } }) =>
            change(({ first: _, ...own }) => (value === 'false' ? own : { ...own, first: value }))
          }
        >
          <option value="false">one: another one is an error</option>
          <option value="true">several that agree: the first counts</option>
          <option value="any">several: the first counts, also if others differ</option>
        </select>
      </label>
      <LeftOut {...{ table, given, disabled }} change={(next) => change(() => next)} />
      <Constants {...{ rule, disabled }} change={(next) => change(() => next)} />
    </div>
  )
}
