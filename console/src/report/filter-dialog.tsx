/** The form of a filter: values with their counts, a range of numbers, or a period. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { View } from '../ask.js'
import type { CatalogueReport, Flat, ValueColumn, Values } from '../catalogue.js'
import { presets, rangeInWords } from '../dates.js'
import { Dialog } from '../parts/dialog.js'
import { headingOf, nameOf } from '../people.js'
import { ValueList } from './filter-values.js'
import { askedOf, type Filter, filterText, literal, operatorWord, parseFilter, valuesOf } from './filters.js'

/** Conditions of the form; `range` is one filter for each of its ends. */
type Condition = 'range' | 'empty' | 'filled' | Filter['operator']

interface Props {
  report: CatalogueReport
  values: Values
  view: View
  columns: readonly Flat[]
  field: string
  /** With all filters of the view, or undefined if nothing changes. */
  onDone: (filters: readonly string[] | undefined) => void
}

/** The conditions that the user has entered. */
interface Entry {
  readonly condition: Condition
  readonly chosen: readonly string[]
  readonly text: string
  readonly from: string
  readonly to: string
}

const conditionsFor = (column: ValueColumn): Condition[] => {
  const absence: Condition[] = column.absent === undefined ? [] : ['empty', 'filled']
  switch (askedOf(column)) {
    case 'values':
      return column.kind === 'word' || column.kind === 'flag' || column.kind === 'time'
        ? ['=', '!=', ...absence]
        : ['=', '!=', '~', '!~', ...absence]
    case 'numbers':
      return ['range', '=', '!=', '>', '<', ...absence]
    case 'dates':
      return ['range', '=', '!=', ...absence]
  }
}

const conditionWord = (condition: Condition, kind: string): string =>
  condition === 'range'
    ? 'is from … to'
    : condition === 'empty'
      ? 'is empty'
      : condition === 'filled'
        ? 'is not empty'
        : operatorWord(condition, kind)

export function FilterDialog({ report, values, view, columns, field: initial, onDone }: Props): JSX.Element {
  const filters = view.filter ?? []
  const [field, setField] = useState(initial)
  const flat = columns.find(({ name }) => name === field) ?? (columns[0] as Flat)
  const column = flat.column as ValueColumn
  const [entry, setEntry] = useState<Entry>(() => entryOf(filters, flat))
  const change = (next: Partial<Entry>) => setEntry({ ...entry, ...next })
  const { condition, chosen, text, from, to } = entry
  const asked = askedOf(column)
  const type = asked === 'dates' ? 'date' : 'text'
  const isRange = condition === 'range'
  const isList = asked === 'values' && (condition === '=' || condition === '!=')
  const isAbsence = condition === 'empty' || condition === 'filled'
  const others = filters.filter((one) => !isOwn(one, field))
  const made = filtersOf(entry, field, asked)
  const isBackwards = isRange && from !== '' && to !== '' && (asked === 'dates' ? from > to : Number(from) > Number(to))
  const number = asked === 'numbers' && {
    ...{ inputMode: 'decimal' as const, pattern: '-?\\d+(\\.\\d+)?', title: 'A number, such as 12 or -0.5' },
  }
  return (
    <Dialog title="Filter" class="filter-form" onClose={() => onDone(undefined)}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBackwards) onDone([...others, ...made])
        }}
      >
        <h2>Filter</h2>
        <div class="pair">
          <label>
            Column
            <select
              aria-label="Column"
              value={field}
              onChange={({ currentTarget: { value } }) => {
                const next = columns.find(({ name }) => name === value)
                setField(value)
                if (next !== undefined) setEntry(entryOf(filters, next))
              }}
            >
              {columns.map((one) => (
                <option key={one.name} value={one.name}>
                  {nameOf(one)}
                </option>
              ))}
            </select>
          </label>
          <label>
            Condition
            <select
              aria-label="Condition"
              value={condition}
              onChange={({ currentTarget }) => change({ condition: currentTarget.value as Condition })}
            >
              {conditionsFor(column).map((one) => (
                <option key={one} value={one}>
                  {conditionWord(one, column.kind)}
                </option>
              ))}
            </select>
          </label>
        </div>
        {asked === 'dates' && isRange && (
          <div class="periods" role="group" aria-label="Periods">
            {presets().map(({ name, range }) => (
              <button
                key={name}
                type="button"
                class={range.from === from && range.to === to ? 'chip on' : 'chip'}
                aria-pressed={range.from === from && range.to === to}
                title={rangeInWords(range)}
                onClick={() => change(range)}
              >
                {name}
              </button>
            ))}
          </div>
        )}
        {isRange && (
          <div class="pair">
            <label>
              From
              <input
                type={type as 'text'}
                autoFocus={asked === 'numbers'}
                {...number}
                value={from}
                onInput={({ currentTarget }) => change({ from: currentTarget.value })}
              />
            </label>
            <label>
              To
              <input
                type={type as 'text'}
                {...number}
                value={to}
                onInput={({ currentTarget }) => change({ to: currentTarget.value })}
              />
            </label>
          </div>
        )}
        {isBackwards && (
          <p class="wrong" role="alert">
            {asked === 'dates' ? 'The last day is before the first.' : 'The second number is less than the first.'}
          </p>
        )}
        {isList && (
          <ValueList
            key={field}
            {...{ report, values, flat, chosen }}
            view={{ filter: others, search: view.search }}
            onChoose={(next) => change({ chosen: next })}
          />
        )}
        {!isRange && !isList && !isAbsence && (
          <label>
            {asked === 'values' ? 'Text' : headingOf(flat)}
            <input
              type={type as 'text'}
              aria-label="Value"
              autoFocus
              required
              {...number}
              value={text}
              onInput={({ currentTarget }) => change({ text: currentTarget.value })}
            />
          </label>
        )}
        <div class="actions">
          <button type="button" class="button" onClick={() => onDone(undefined)}>
            Cancel
          </button>
          <button
            type="submit"
            class="button primary"
            // Without values, the form removes the filter that it began with.
            disabled={isBackwards || (made.length === 0 && others.length === filters.length)}
          >
            Apply
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Whether the form can show this filter of the field; a comparison with another field stays beside it. */
function isOwn(text: string, field: string): boolean {
  const filter = parseFilter(text)
  return filter?.field === field && !filter.value.startsWith('@')
}

const BLANK: Omit<Entry, 'condition'> = { chosen: [], text: '', from: '', to: '' }

/** The filters of a field as the form shows them. */
function entryOf(filters: readonly string[], { name, column }: Flat): Entry {
  const own = filters.filter((one) => isOwn(one, name)).flatMap((one) => parseFilter(one) ?? [])
  const asked = askedOf(column as ValueColumn)
  const conditions = conditionsFor(column as ValueColumn)
  const [first] = own
  const usual = conditions[0] as Condition
  if (first === undefined) return { ...BLANK, condition: usual }
  if (first.value === '' && conditions.includes('empty'))
    return { ...BLANK, condition: first.operator === '=' ? 'empty' : 'filled' }
  if (asked === 'values') {
    if (first.operator === '=' || first.operator === '!=')
      return { ...BLANK, condition: first.operator, chosen: valuesOf(first.value) }
    return { ...BLANK, condition: first.operator, text: valuesOf(first.value)[0] ?? '' }
  }
  const end = (operator: string) => own.find((one) => one.operator === operator)?.value ?? ''
  if (first.operator === '>=' || first.operator === '<=')
    return { ...BLANK, condition: 'range', from: end('>='), to: end('<=') }
  return { ...BLANK, condition: conditions.includes(first.operator) ? first.operator : usual, text: first.value }
}

/** The filters that an entry makes; none if it is empty. */
function filtersOf({ condition, chosen, text, from, to }: Entry, field: string, asked: string): string[] {
  const one = (operator: Filter['operator'], value: string) => filterText({ field, operator, value })
  if (condition === 'empty') return [one('=', '')]
  if (condition === 'filled') return [one('!=', '')]
  if (condition === 'range') return [...(from === '' ? [] : [one('>=', from)]), ...(to === '' ? [] : [one('<=', to)])]
  if (asked === 'values' && (condition === '=' || condition === '!='))
    return chosen.length === 0 ? [] : [one(condition, chosen.map(literal).join('|'))]
  return text === '' ? [] : [one(condition, literal(text))]
}
