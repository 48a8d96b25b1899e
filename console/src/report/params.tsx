/** The parameters of a report as chips; each opens a small picker, and a choice runs the report. */
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { CatalogueParam, CatalogueReport, Values } from '../catalogue.js'
import { inWords, presets, type Range, rangeInWords, today } from '../dates.js'
import { labelOf } from '../labels.js'
import { Described } from '../parts/cell.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import { paramInWords } from './param-words.js'
import { hasRange, rangeOf, shownParams } from './view.js'

interface Props {
  report: CatalogueReport
  values: Values
  onChange: (changes: Readonly<Record<string, string | undefined>>) => void
  /** Further choices in the menu of the dates. */
  underDates?: (close: () => void) => ComponentChildren
  /** Chips after the one of the dates, or before all others. */
  besideDates?: ComponentChildren
}

export function Params({ report, values, onChange, underDates, besideDates }: Props): JSX.Element {
  const ranged = hasRange(report)
  const others = shownParams(report).filter(({ name }) => !ranged || (name !== 'from_date' && name !== 'to_date'))
  return (
    <>
      {ranged && <RangeChip range={rangeOf(values)} optional={!isRequired(report)} {...{ onChange, underDates }} />}
      {besideDates}
      {others.map((param) => (
        <ParamChip key={param.name} param={param} value={values[param.name]} onChange={onChange} />
      ))}
    </>
  )
}

const isRequired = ({ params }: CatalogueReport): boolean => params.some((p) => p.name === 'from_date' && p.required)

function RangeChip({
  range,
  optional,
  onChange,
  underDates,
}: {
  range: Range | undefined
  optional: boolean
  onChange: Props['onChange']
  underDates: Props['underDates']
}): JSX.Element {
  const choose = (next: Range | undefined, close: () => void) => {
    close()
    onChange({ from_date: next?.from, to_date: next?.to })
  }
  return (
    <Menu
      label={
        <>
          <Icon name="calendar" />
          <strong>{range === undefined ? 'Any date' : rangeInWords(range)}</strong>
          <Icon name="down" />
        </>
      }
      title={`Dates: ${range === undefined ? 'any' : rangeInWords(range)}`}
    >
      {(close) => (
        <div class="items">
          {presets().map(({ name, range: one }) => (
            <button
              key={name}
              type="button"
              class={one.from === range?.from && one.to === range?.to ? 'item chosen' : 'item'}
              onClick={() => choose(one, close)}
            >
              <span>{name}</span>
              <span class="quiet">{rangeInWords(one)}</span>
            </button>
          ))}
          {optional && (
            <button type="button" class="item" onClick={() => choose(undefined, close)}>
              Any date
            </button>
          )}
          <RangeForm range={range ?? { from: today(), to: today() }} onChoose={(next) => choose(next, close)} />
          {underDates?.(close)}
        </div>
      )}
    </Menu>
  )
}

function RangeForm({ range, onChoose }: { range: Range; onChoose: (range: Range) => void }): JSX.Element {
  const [from, setFrom] = useState(range.from)
  const [to, setTo] = useState(range.to)
  const wrong = from > to
  return (
    <form
      class="range"
      onSubmit={(event) => {
        event.preventDefault()
        if (!wrong && from !== '' && to !== '') onChoose({ from, to })
      }}
    >
      <label>
        From
        <input type="date" required value={from} onInput={({ currentTarget }) => setFrom(currentTarget.value)} />
      </label>
      <label>
        To
        <input type="date" required value={to} onInput={({ currentTarget }) => setTo(currentTarget.value)} />
      </label>
      {wrong && (
        <p class="wrong" role="alert">
          The last day is before the first.
        </p>
      )}
      <button type="submit" class="button primary" disabled={wrong}>
        Show
      </button>
    </form>
  )
}

interface ChipProps {
  param: CatalogueParam
  value: string | undefined
  onChange: Props['onChange']
}

function ParamChip({ param, value, onChange }: ChipProps): JSX.Element {
  const { name, type, description, required } = param
  const label = labelOf(name)
  const words = type.kind === 'word' ? type.words : type.kind === 'zero-or-one' ? ['0', '1'] : undefined
  const shown = paramInWords(param, value)
  return (
    <Menu
      label={
        <>
          <span class="quiet">{label}</span>
          <strong class="clip">{shown}</strong>
          <Icon name="down" />
        </>
      }
      title={`${label}: ${shown}`}
    >
      {(close) => {
        const choose = (next: string | undefined) => {
          close()
          onChange({ [name]: next })
        }
        return (
          <div class="items">
            <p class="about">
              <Described text={description} />
            </p>
            {words?.map((word) => (
              <button
                key={word}
                type="button"
                class={word === value ? 'item chosen' : 'item'}
                onClick={() => choose(word)}
              >
                {paramInWords(param, word)}
              </button>
            ))}
            {type.kind === 'date' && (
              <button type="button" class={value === today() ? 'item chosen' : 'item'} onClick={() => choose(today())}>
                <span>Today</span>
                <span class="quiet">{inWords(today())}</span>
              </button>
            )}
            {words === undefined && <ValueForm param={param} value={value} onChoose={choose} />}
            {!required && value !== undefined && (
              <button type="button" class="item" onClick={() => choose(undefined)}>
                {param.default === undefined ? 'All' : `By default: ${paramInWords(param, undefined)}`}
              </button>
            )}
          </div>
        )
      }}
    </Menu>
  )
}

function ValueForm({
  param: { name, type, required },
  value,
  onChoose,
}: {
  param: CatalogueParam
  value: string | undefined
  onChoose: (value: string | undefined) => void
}): JSX.Element {
  const [text, setText] = useState(value ?? '')
  const kind = type.kind === 'date' ? 'date' : type.kind === 'whole-number' ? 'number' : 'text'
  return (
    <form
      class="one"
      onSubmit={(event) => {
        event.preventDefault()
        onChoose(text === '' ? undefined : text)
      }}
    >
      <input
        type={kind as 'text'}
        aria-label={labelOf(name)}
        required={required}
        value={text}
        {...(type.kind === 'text' && { maxLength: type.longest, pattern: type.pattern })}
        {...(type.kind === 'whole-number' && { min: type.smallest, max: type.largest })}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" class="button primary">
        Show
      </button>
    </form>
  )
}
