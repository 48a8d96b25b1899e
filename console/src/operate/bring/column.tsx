/** The head of a sheet's column: a menu of what it is in the import, how it is read, and doubts about it. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { Icon } from '../../parts/icons.js'
import { columnIn, isFilled, type Reading, type Rule, readAs, readingOf, type Use, useAs, usesOf } from './draft.js'
import type { FoundColumn, Given } from './model.js'
import { entities } from './store.js'
import { aboutColumn, columnWords } from './words.js'

interface Props {
  rule: Rule
  column: FoundColumn
  disabled: boolean
  change: (given: Given) => void
}

export function ColumnHead({ rule, column, disabled, change }: Props): JSX.Element {
  const uses = usesOf(rule.given, column)
  const direct = uses.filter(({ part }) => !part)
  const [first, ...more] = direct
  const doubts = rule.doubts.filter(
    ({ column: about }) => about !== undefined && uses.some(({ name }) => name === about),
  )
  const open = useSignal(false)
  const title = `${column.letter}: ${column.heading || 'no heading'}`
  return (
    <div class="taken">
      <span class="pair">
        <select
          class={first === undefined ? 'unused' : undefined}
          aria-label={`What ${column.heading || `column ${column.letter}`} is`}
          title={title}
          disabled={disabled}
          value={first?.name ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change(useAs(rule.given, column, value === '' ? undefined : value, first))
          }
        >
          <option value="">{uses.length > direct.length ? '(used below)' : 'leave out'}</option>
          <ColumnOptions entity={rule.entity} given={rule.given} own={first?.name} />
        </select>
        {first !== undefined && (
          <button
            type="button"
            class="mini plain"
            aria-label={`How ${column.heading || `column ${column.letter}`} is read`}
            aria-expanded={open.value}
            onClick={() => {
              open.value = !open.value
            }}
          >
            <Icon name="more" />
          </button>
        )}
      </span>
      {first !== undefined && open.value && <HowRead {...{ rule, column, disabled, change }} use={first} />}
      {more.map((use) => (
        <small key={use.name} class="also">
          also {columnWords(rule.entity, use.name)}
          {readingOf(use.from) === 'unit' && ' (its unit)'}
          <button
            type="button"
            class="mini plain"
            disabled={disabled}
            aria-label={`Do not use it as ${columnWords(rule.entity, use.name)}`}
            onClick={() => change(useAs(rule.given, column, undefined, use))}
          >
            <Icon name="close" />
          </button>
        </small>
      ))}
      {uses
        .filter(({ part }) => part)
        .map(({ name }) => (
          <small key={name}>part of {columnWords(rule.entity, name)}</small>
        ))}
      {first !== undefined && how(first) !== '' && <small>{how(first)}</small>}
      {doubts.map(({ reason, needed }) => (
        <small key={reason} class={needed ? 'doubt bad' : 'doubt'}>
          <Icon name="warning" /> {reason}
        </small>
      ))}
    </div>
  )
}

/** The columns of an entity, the required ones first. */
export function ColumnOptions({
  entity,
  given,
  own,
}: {
  entity: string
  given: Given
  own?: string | undefined
}): JSX.Element {
  const all = entities.value.get(entity)?.columns ?? []
  const options = (required: boolean) =>
    all
      .filter((one) => one.required === required)
      .map(({ name, about }) => (
        <option key={name} value={name} title={about}>
          {columnWords(entity, name)}
          {name !== own && name in (given.columns ?? {}) ? ' (instead)' : ''}
        </option>
      ))
  return (
    <>
      <optgroup label="Every row needs">{options(true)}</optgroup>
      <optgroup label="If it is there">{options(false)}</optgroup>
    </>
  )
}

function how({ from }: Use): string {
  const read = {
    value: '',
    unit: 'the unit beside the number',
    code: 'found by its name',
    sum: 'summed over the lines',
  }
  const filled = isFilled(from) ? 'empty cells have the value above' : ''
  return [read[readingOf(from)], filled].filter((text) => text !== '').join('; ')
}

/** How the column is read. It opens in the table: a panel over it would be cut off where the table scrolls. */
function HowRead({ rule, column, use, disabled, change }: Props & { use: Use }): JSX.Element {
  const reading = readingOf(use.from)
  const byName = aboutColumn(rule.entity, use.name)?.by_name ?? false
  const isHead = rule.given.first !== undefined && rule.given.first !== 'false'
  const choices: readonly (readonly [Reading, string, boolean])[] = [
    ['value', 'Its value', true],
    ['code', 'A name: the code is found by it, or made from it', byName],
    ['unit', 'The unit beside the number', column.units.length > 0 || reading === 'unit'],
    ['sum', 'The sum over all rows of a document', isHead],
  ]
  const shown = choices.filter(([, , fits]) => fits)
  return (
    <fieldset class="how" disabled={disabled}>
      <legend class="unseen">{`How ${columnIn(use.from)} is read`}</legend>
      {shown.length > 1 && (
        <select
          aria-label={`How ${columnIn(use.from)} is read`}
          value={reading}
          onChange={({ currentTarget: { value } }) =>
            change(readAs(rule.given, use, value as Reading, isFilled(use.from)))
          }
        >
          {shown.map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={isFilled(use.from)}
          disabled={reading === 'unit' || reading === 'sum'}
          onChange={({ currentTarget: { checked } }) => change(readAs(rule.given, use, reading, checked))}
        />
        Empty cells have the value above
      </label>
      <select
        aria-label={`Use ${columnIn(use.from)} also as`}
        value=""
        onChange={({ currentTarget: { value } }) => {
          if (value !== '') change(useAs(rule.given, column, value, undefined))
        }}
      >
        <option value="">+ use it also as…</option>
        <ColumnOptions entity={rule.entity} given={rule.given} own={use.name} />
      </select>
    </fieldset>
  )
}
