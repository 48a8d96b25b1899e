/** The rules of a table, one for each entity that it has rows of. */
import type { JSX } from 'preact'
import { Icon } from '../../parts/icons.js'
import { addRule, type Draft, removeRule, rulesOf } from './draft.js'
import type { Table } from './model.js'
import { correct, entities } from './store.js'
import { entityWords } from './words.js'

export interface OfTable {
  draft: Draft
  table: Table
  disabled: boolean
}

/** One rule is chosen, and its columns are shown. */
export function Rules({
  draft,
  table,
  disabled,
  chosen,
  choose,
}: OfTable & { chosen: number | undefined; choose: (at: number | undefined) => void }): JSX.Element {
  const own = rulesOf(draft, table)
  const others = [...entities.value.keys()].filter((name) => !own.some(({ rule }) => rule.entity === name))
  return (
    <div class="brings" role="group" aria-label="What this sheet brings in">
      <span class="quiet">Brings in</span>
      {own.map(({ at, rule }) => (
        <span key={at} class="segment">
          <button type="button" class="chip" aria-pressed={at === chosen} onClick={() => choose(at)}>
            {entityWords(rule.entity)}
            {rule.doubts.length > 0 && (
              <>
                {' '}
                <Icon name="warning" />
                <span class="unseen">with doubts</span>
              </>
            )}
          </button>
          <button
            type="button"
            class="mini plain"
            disabled={disabled}
            aria-label={`Do not bring in ${entityWords(rule.entity)}`}
            onClick={() => {
              choose(undefined)
              correct(removeRule(draft, at))
            }}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      {own.length === 0 && <strong>nothing: this sheet is not read</strong>}
      <select
        class="add"
        aria-label="Bring in something else from this sheet"
        value=""
        disabled={disabled}
        onChange={({ currentTarget: { value } }) => {
          if (value === '') return
          const next = addRule(draft, table, value)
          choose(next.rules.length - 1)
          correct(next)
        }}
      >
        <option value="">{own.length === 0 ? 'choose what it has' : '+ something else'}</option>
        {others.map((name) => (
          <option key={name} value={name}>
            {entityWords(name)}
          </option>
        ))}
      </select>
    </div>
  )
}
