/** Rows of a sheet that are left out, such as totals. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { Icon } from '../../parts/icons.js'
import { leftOut, setLeftOut } from './draft.js'
import type { Given, Table } from './model.js'

interface Props {
  table: Table
  given: Given
  disabled: boolean
  change: (given: Given) => void
}

export function LeftOut({ table, given, disabled, change }: Props): JSX.Element {
  const column = useSignal('')
  const like = useSignal('')
  const rules = leftOut(given)
  return (
    <fieldset class="with">
      <legend>Rows that are left out</legend>
      {rules.map((rule, i) => {
        const words = [rule.like ?? []].flat().join(' or ')
        const text = words === '' ? `${rule.column} is empty` : `${rule.column} is like ${words}`
        return (
          <span key={text} class="segment">
            <span class="chip still">{text}</span>
            <button
              type="button"
              class="mini plain"
              disabled={disabled}
              aria-label={`Do not leave out rows where ${text}`}
              onClick={() => change(setLeftOut(given, rules.toSpliced(i, 1)))}
            >
              <Icon name="close" />
            </button>
          </span>
        )
      })}
      <form
        class="segment"
        onSubmit={(event) => {
          event.preventDefault()
          if (column.value === '') return
          const pattern = like.value.trim()
          change(setLeftOut(given, [...rules, { column: column.value, ...(pattern !== '' && { like: pattern }) }]))
          column.value = ''
          like.value = ''
        }}
      >
        <select
          aria-label="Leave out rows by this column"
          value={column.value}
          disabled={disabled}
          onChange={({ currentTarget: { value } }) => {
            column.value = value
          }}
        >
          <option value="">+ rows where…</option>
          {table.columns.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        {column.value !== '' && (
          <>
            <input
              type="text"
              aria-label="is like; without a text, is empty"
              placeholder="is like *total*; nothing: is empty"
              value={like.value}
              onInput={({ currentTarget: { value } }) => {
                like.value = value
              }}
            />
            <button type="submit" class="chip">
              Leave out
            </button>
          </>
        )}
      </form>
    </fieldset>
  )
}
