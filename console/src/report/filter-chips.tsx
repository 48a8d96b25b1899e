/** Filters as chips, and the small form that makes one. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Flat, ValueColumn } from '../catalogue.js'
import { labelOf } from '../labels.js'
import { Dialog } from '../parts/dialog.js'
import { Icon } from '../parts/icons.js'
import { type Filter, filterInWords, filterText, literal, operatorsFor, operatorWord } from './filters.js'

interface Props {
  columns: readonly Flat[]
  filters: readonly string[]
  onChange: (filters: readonly string[]) => void
  /** The field that a new filter begins with; undefined while none is being made. */
  editing: string | undefined
  onEdit: (field: string | undefined) => void
  /** The words of the button that adds one. */
  label?: string
}

const filterable = (columns: readonly Flat[]): Flat[] => columns.filter(({ column }) => column.kind !== 'lines')

export function FilterChips({ columns, filters, onChange, editing, onEdit, label = 'Filter' }: Props): JSX.Element {
  const usable = filterable(columns)
  return (
    <>
      {filters.map((text, at) => {
        const words = filterInWords(text, usable)
        return (
          <button
            key={text}
            type="button"
            class="chip filter"
            title={`Remove the filter ${words}`}
            onClick={(event) => {
              // The chip disappears; the focus moves to the next chip, or to the button that adds a filter.
              const next = event.currentTarget.nextElementSibling as HTMLElement | null
              onChange(filters.filter((_, other) => other !== at))
              next?.focus()
            }}
          >
            <strong class="clip">{words}</strong>
            <Icon name="close" />
          </button>
        )
      })}
      <button
        type="button"
        class="chip plain"
        aria-haspopup="dialog"
        aria-expanded={editing !== undefined}
        onClick={() => onEdit(usable[0]?.name)}
      >
        <Icon name="plus" /> {label}
      </button>
      {editing !== undefined && (
        <FilterDialog
          columns={usable}
          field={editing}
          onDone={(filter) => {
            onEdit(undefined)
            if (filter !== undefined)
              onChange([...filters.filter((one) => one !== filterText(filter)), filterText(filter)])
          }}
        />
      )}
    </>
  )
}

function FilterDialog({
  columns,
  field: initial,
  onDone,
}: {
  columns: readonly Flat[]
  field: string
  onDone: (filter: Filter | undefined) => void
}): JSX.Element {
  const [field, setField] = useState(initial)
  const column = columns.find(({ name }) => name === field)?.column as ValueColumn | undefined
  const operators = operatorsFor(column ?? { kind: 'text' })
  const [chosen, setOperator] = useState(operators[0])
  const operator = chosen !== undefined && operators.includes(chosen) ? chosen : operators[0]
  const [value, setValue] = useState('')
  const [words, setWords] = useState<readonly string[]>([])
  const options =
    column?.kind === 'word'
      ? [...column.words, ...(typeof column.absent === 'string' && column.absent !== '' ? [column.absent] : [])]
      : column?.kind === 'flag'
        ? ['true', 'false']
        : undefined
  const kind = column?.kind === 'date' || column?.kind === 'timestamp' ? 'date' : 'text'
  const numeric = column !== undefined && ['decimal', 'integer', 'number'].includes(column.kind)
  return (
    <Dialog title="Filter" onClose={() => onDone(undefined)}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (operator === undefined) return
          const given = options === undefined ? literal(value) : words.map(literal).join('|')
          onDone({ field, operator, value: given })
        }}
      >
        <h2>Filter</h2>
        <label>
          Column
          <select
            aria-label="Column"
            value={field}
            onChange={({ currentTarget }) => {
              setField(currentTarget.value)
              setWords([])
              setValue('')
            }}
          >
            {columns.map(({ name }) => (
              <option key={name} value={name}>
                {labelOf(name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Condition
          <select
            aria-label="Condition"
            value={operator}
            onChange={({ currentTarget }) => setOperator(currentTarget.value as Filter['operator'])}
          >
            {operators.map((one) => (
              <option key={one} value={one}>
                {operatorWord(one, column?.kind ?? 'text')}
              </option>
            ))}
          </select>
        </label>
        {options === undefined ? (
          <label>
            Value
            <input
              type={kind as 'text'}
              autoFocus
              inputMode={numeric ? 'decimal' : undefined}
              pattern={numeric ? '-?\\d+(\\.\\d+)?' : undefined}
              title={numeric ? 'A number, such as 12 or -0.5' : undefined}
              required={operator !== '=' && operator !== '!='}
              value={value}
              onInput={({ currentTarget }) => setValue(currentTarget.value)}
            />
          </label>
        ) : (
          <fieldset>
            <legend>Values</legend>
            {options.map((word) => (
              <label key={word} class="check">
                <input
                  type="checkbox"
                  checked={words.includes(word)}
                  onChange={({ currentTarget }) =>
                    setWords(currentTarget.checked ? [...words, word] : words.filter((one) => one !== word))
                  }
                />
                {word}
              </label>
            ))}
          </fieldset>
        )}
        <div class="actions">
          <button type="button" class="button" onClick={() => onDone(undefined)}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={options !== undefined && words.length === 0}>
            Apply
          </button>
        </div>
      </form>
    </Dialog>
  )
}
