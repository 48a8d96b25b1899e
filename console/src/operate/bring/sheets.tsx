/** The tables in the files: a tab for each, its first rows as people see them, and a menu above each column. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { counted } from '../../labels.js'
import { grouped } from '../../numbers.js'
import { Icon } from '../../parts/icons.js'
import { grouping } from '../../preferences.js'
import { ColumnHead } from './column.js'
import { changeRule, type Draft, rulesOf, usesOf } from './draft.js'
import type { Problem, Proposal, SampleRow, Table } from './model.js'
import { Rules } from './rules.js'
import { Settings } from './settings.js'
import { correct, result } from './store.js'
import { entityWords } from './words.js'

const rowsIn = ({ sheets }: Table): string =>
  counted(grouped(String(sheets.reduce((sum, { rows }) => sum + rows, 0)), grouping.value), 'row')

const nameOf = ({ sheets }: Table): string => {
  const [{ file, sheet } = { file: '', sheet: '' }] = sheets
  const more = sheets.length > 1 ? ` and ${sheets.length - 1} more` : ''
  return `${sheet === '' ? file : sheet}${more}`
}

const placeOf = ({ sheets: [first] }: Table): string =>
  first === undefined ? '' : first.sheet === '' ? first.file : `${first.file}[${first.sheet}]`

/** Errors in the sheets of a table. */
const problemsIn = (table: Table): readonly Problem[] => {
  const places = table.sheets.map(({ file, sheet }) => (sheet === '' ? file : `${file}[${sheet}]`))
  return (result.value?.errors.first ?? []).filter(({ file }) => places.includes(file))
}

export function Sheets({
  proposal,
  draft,
  disabled,
}: {
  proposal: Proposal
  draft: Draft
  disabled: boolean
}): JSX.Element {
  const chosen = useSignal<string | undefined>(undefined)
  const table = proposal.tables.find(({ id }) => id === chosen.value) ?? proposal.tables[0]
  const choose = (to: Table | undefined) => {
    if (to === undefined) return
    chosen.value = to.id
    document.getElementById(`tab-${to.id}`)?.focus()
  }
  return (
    <section class="sheets" aria-label="Sheets">
      <div
        class="tabs"
        role="tablist"
        aria-label="Sheets in the files"
        onKeyDown={(event) => {
          const at = proposal.tables.indexOf(table as Table)
          const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key]
          if (to === undefined) return
          event.preventDefault()
          choose(proposal.tables.at(to % proposal.tables.length))
        }}
      >
        {proposal.tables.map((one) => {
          const rules = rulesOf(draft, one)
          const wrong = problemsIn(one).length
          return (
            <button
              key={one.id}
              type="button"
              role="tab"
              id={`tab-${one.id}`}
              aria-selected={one === table}
              aria-controls="sheet"
              tabIndex={one === table ? 0 : -1}
              onClick={() => choose(one)}
            >
              <span class="clip">{nameOf(one)}</span>
              <small class="clip">
                {rowsIn(one)} ·{' '}
                {rules.length === 0 ? 'not read' : rules.map(({ rule }) => entityWords(rule.entity)).join(', ')}
              </small>
              {wrong > 0 && <span class="word bad">{counted(String(wrong), 'error')}</span>}
            </button>
          )
        })}
      </div>
      {table !== undefined && <Sheet key={table.id} {...{ table, draft, disabled }} />}
      {proposal.unread.length > 0 && (
        <details class="quiet">
          <summary>
            {counted(String(proposal.unread.length), 'sheet or file is', 'sheets or files are')} not read
          </summary>
          <ul>
            {proposal.unread.map(({ file, sheet, why }) => (
              <li key={`${file} ${sheet}`}>{`${sheet === '' ? file : `${file}, ${sheet}`}: ${why}`}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function Sheet({ table, draft, disabled }: { table: Table; draft: Draft; disabled: boolean }): JSX.Element {
  const chosen = useSignal<number | undefined>(undefined)
  const own = rulesOf(draft, table)
  const { at, rule } = own.find(({ at }) => at === chosen.value) ?? own[0] ?? {}
  // Other doubts are shown beside their column, or beside the value that every row has.
  const isShown = (name: string) =>
    name in (rule?.given.constants ?? {}) ||
    table.columns.some((column) => usesOf(rule?.given ?? {}, column).some((use) => use.name === name))
  const doubts = [
    ...table.doubts,
    ...(rule?.doubts.filter(({ column }) => column === undefined || !isShown(column)) ?? []),
  ]
  const [first, ...more] = table.sheets
  return (
    <div class="sheet" id="sheet" role="tabpanel" aria-labelledby={`tab-${table.id}`}>
      <p class="quiet">
        {first?.file}
        {first?.sheet !== '' && ` · ${first?.sheet}`}
        {first?.hidden === true && ' (hidden)'}
        {more.length > 0 && ` and ${more.map(({ file, sheet }) => sheet || file).join(', ')}`} · {rowsIn(table)}
      </p>
      <Rules
        {...{ draft, table, disabled }}
        chosen={at}
        choose={(to) => {
          chosen.value = to
        }}
      />
      {doubts.map(({ reason, needed }) => (
        <p key={reason} class={needed ? 'doubt bad' : 'doubt'}>
          <Icon name="warning" /> {reason}
        </p>
      ))}
      {at !== undefined && rule !== undefined && <Settings {...{ draft, table, disabled, at, rule }} />}
      <Grid table={table} caption={`First rows of ${nameOf(table)}`}>
        {(column) =>
          at !== undefined &&
          rule !== undefined && (
            <ColumnHead
              {...{ rule, column, disabled }}
              change={(given) => correct(changeRule(draft, at, () => given))}
            />
          )
        }
      </Grid>
    </div>
  )
}

function Grid({
  table,
  caption,
  children,
}: {
  table: Table
  caption: string
  children: (column: Table['columns'][number]) => JSX.Element | false
}): JSX.Element {
  const place = placeOf(table)
  const wrong = new Map<string, string>()
  for (const { file, cell, message } of problemsIn(table))
    if (file === place && cell !== undefined) wrong.set(cell, message)
  const isRight = table.columns.map(({ kind }) => ['number', 'amount', 'quantity', 'percent'].includes(kind))
  return (
    <div class="peek" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr class="menus">
            <td />
            {table.columns.map((column) => (
              <td key={column.letter}>{children(column)}</td>
            ))}
          </tr>
          <tr class="letters">
            <th scope="col">
              <span class="unseen">Row</span>
            </th>
            {table.columns.map(({ letter }) => (
              <th key={letter} scope="col">
                {letter}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.sample.map((row) => (
            <tr key={row.line} class={`is-${row.role}`}>
              <th scope="row">
                {row.line}
                <span class="unseen">{ROLES[row.role]}</span>
              </th>
              {table.columns.map(({ letter }, at) => {
                const message = wrong.get(`${letter}${row.line}`)
                const text = row.cells[at] ?? ''
                return (
                  <td
                    key={letter}
                    class={`${isRight[at] && row.role !== 'header' ? 'right' : ''}${message === undefined ? '' : ' faulty'}`}
                    title={message ?? text}
                  >
                    <span class="clip">{text === '' && message !== undefined ? '(empty)' : text}</span>
                    {message !== undefined && <span class="fault">{message}</span>}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const ROLES: Readonly<Record<SampleRow['role'], string>> = {
  title: ', above the table',
  header: ', header',
  row: '',
  total: ', total',
  blank: ', empty',
}
