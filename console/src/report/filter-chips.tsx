/** Filters as chips: a click changes one, its cross removes it. */
import type { JSX } from 'preact'
import type { View } from '../ask.js'
import type { CatalogueReport, Flat, Values } from '../catalogue.js'
import { Icon } from '../parts/icons.js'
import { FilterDialog } from './filter-dialog.js'
import { chipsOf } from './filters.js'

interface Props {
  report: CatalogueReport
  values: Values
  view: View
  columns: readonly Flat[]
  onChange: (filters: readonly string[]) => void
  /** The field that the form begins with; undefined while it is closed. */
  editing: string | undefined
  onEdit: (field: string | undefined) => void
  /** The words of the button that adds one. */
  label?: string
}

export function FilterChips(props: Props): JSX.Element {
  const { report, values, view, columns, onChange, editing, onEdit, label = 'Filter' } = props
  const filters = view.filter ?? []
  const usable = columns.filter(({ column }) => !['lines', 'list', 'object'].includes(column.kind))
  return (
    <>
      {chipsOf(filters, usable).map(({ words, field, filters: own }) => {
        const isKnown = usable.some(({ name }) => name === field)
        return (
          <span key={own.join()} class="chip filter">
            <button
              type="button"
              class="bare"
              disabled={!isKnown}
              aria-haspopup="dialog"
              title={`Change the filter: ${words}`}
              onClick={() => onEdit(field)}
            >
              <strong class="clip">{words}</strong>
            </button>
            <button
              type="button"
              class="bare"
              aria-label={`Remove the filter ${words}`}
              title="Remove"
              onClick={(event) => {
                // The chip disappears; the focus moves to the next chip, or to the button that adds a filter.
                const next = event.currentTarget.parentElement?.nextElementSibling as HTMLElement | null
                onChange(filters.filter((one) => !own.includes(one)))
                ;(next?.querySelector('button') ?? next)?.focus()
              }}
            >
              <Icon name="close" />
            </button>
          </span>
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
          {...{ report, values, view }}
          columns={usable}
          field={editing}
          onDone={(next) => {
            onEdit(undefined)
            if (next !== undefined) onChange(next)
          }}
        />
      )}
    </>
  )
}
