/** Asks how a view is shown on the overview: as what, with which field, for which period. The preview is the pin itself. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { asFailure } from '../api.js'
import { catalogue, isNumeric, reportOf } from '../catalogue.js'
import { Dialog } from '../parts/dialog.js'
import { nameOf } from '../people.js'
import { loadViews, savedViews } from '../views/saved.js'
import { answers } from './answers.js'
import { Body } from './body.js'
import { styleOf } from './chart.js'
import {
  asked,
  groupKey,
  isAdditive,
  isDated,
  isText,
  type Kind,
  type Pin,
  type PinnedView,
  periodInWords,
} from './definition.js'
import { bareView, betterOf, chartedBy, columnsOf, draftOf, measureOf, PERIODS, trendFor } from './drafts.js'
import { ROWS } from './figure.js'
import { type Pinning, type PinSource, pinning } from './pins.js'
import { definitionOf } from './store.js'

const KINDS: readonly (readonly [Kind, string])[] = [
  ['figure', 'Figure'],
  ['list', 'List'],
  ['chart', 'Chart'],
]

export function PinDialog({ pinning: { source, pin: changed, done } }: { pinning: Pinning }): JSX.Element {
  const pin = useSignal<Pin | undefined>(
    changed ?? (source && draftOf(source.kind ?? 'figure', source.title, source.definition, given(source))),
  )
  const failed = useSignal<string | undefined>(undefined)
  const close = () => {
    pinning.value = undefined
  }
  const view = pin.value && definitionOf(pin.value)
  const keep = async () => {
    const made = pin.value
    if (made === undefined) return
    try {
      await done({ ...made, title: made.title.trim() })
      close()
    } catch (error) {
      failed.value = asFailure(error).message
    }
  }
  const title = changed ? 'Change the pin' : 'Pin to the overview'
  return (
    <Dialog title={title} class="wide pinning" onClose={close}>
      <h2>{title}</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void keep()
        }}
      >
        {source === undefined && changed === undefined && (
          <SourceChoice
            onChoose={(chosen) => {
              pin.value = draftOf(chosen.kind ?? 'figure', chosen.title, chosen.definition, given(chosen))
            }}
          />
        )}
        {pin.value !== undefined && view !== undefined && (
          <Choices
            pin={pin.value}
            view={view}
            onChange={(next) => {
              pin.value = next
            }}
          />
        )}
        {failed.value !== undefined && (
          <p class="note bad" role="alert">
            {failed.value}
          </p>
        )}
        <div class="actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button
            type="submit"
            class="button primary"
            disabled={pin.value === undefined || view === undefined || pin.value.title.trim() === ''}
          >
            {changed ? 'Keep' : 'Pin'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const given = ({ view, style }: PinSource): Partial<Pin> => ({
  ...(view !== undefined && { view }),
  ...(style !== undefined && { style }),
})

/** A saved view or a report. */
function SourceChoice({ onChoose }: { onChoose: (source: PinSource) => void }): JSX.Element {
  useEffect(() => {
    void loadViews()
  }, [])
  const views = (savedViews.value ?? []).filter(({ report }) => reportOf(report) !== undefined)
  // Reports about one document, which is not known here, are left out.
  const reports = (catalogue.value?.data ?? []).filter(
    ({ params }) => !params.some(({ required, instead_of, type }) => (required || instead_of) && type.kind === 'text'),
  )
  return (
    <label>
      What to pin
      <select
        onChange={({ currentTarget: { value } }) => {
          const view = views.find(({ id }) => value === `view ${id}`)
          const definition = view && definitionOf({ title: '', kind: 'list', view: view.id })
          const report = reportOf(value)
          if (view !== undefined && definition !== undefined)
            onChoose({ title: view.name, definition, view: view.id, kind: view.group === undefined ? 'list' : 'chart' })
          else if (report !== undefined) onChoose({ title: report.title, definition: bareView(report) })
        }}
      >
        <option value="">Choose a report or a saved view</option>
        {views.length > 0 && (
          <optgroup label="Saved views">
            {views.map(({ id, name }) => (
              <option key={id} value={`view ${id}`}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
        <optgroup label="Reports">
          {reports.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  )
}

interface ChoicesProps {
  readonly pin: Pin
  readonly view: PinnedView
  onChange(pin: Pin): void
}

function Choices({ pin, view, onChange }: ChoicesProps): JSX.Element {
  const from = useMemo(answers, [])
  useEffect(() => from.stop, [from])
  const of = asked(view)
  const { kind, title, definition } = pin
  const turn = (next: Kind) => {
    if (next === kind) return
    onChange(
      draftOf(next, title, view, {
        ...(pin.view !== undefined && { view: pin.view }),
        ...(pin.size && { size: pin.size }),
      }),
    )
  }
  return (
    <>
      <div class="two">
        <fieldset class="segments">
          <legend>Show as</legend>
          {KINDS.map(([name, words]) => (
            <label key={name}>
              <input type="radio" name="kind" checked={name === kind} onChange={() => turn(name)} />
              <span>{words}</span>
            </label>
          ))}
        </fieldset>
        <label>
          Title
          <input
            value={title}
            maxLength={100}
            required
            onInput={({ currentTarget: { value } }) => onChange({ ...pin, title: value })}
          />
        </label>
      </div>
      {of !== undefined && (
        <div class="choices">
          {definition !== undefined && of.range !== undefined && <PeriodChoice {...{ pin, view, onChange }} />}
          {kind === 'figure' && <FigureChoices {...{ pin, view, onChange }} />}
          {kind === 'list' && definition !== undefined && definition.group === undefined && (
            <ListChoices {...{ pin, view, onChange }} />
          )}
          {kind === 'chart' && <ChartChoices {...{ pin, view, onChange }} />}
        </div>
      )}
      <div class="preview" aria-label="Preview" role="group">
        {of === undefined ? (
          <p class="quiet">You may not see this report any more.</p>
        ) : (
          <section class={`pin ${kind}`}>
            <header>
              <h3>{title || 'Without a title'}</h3>
            </header>
            <Body key={JSON.stringify(pin)} {...{ pin, of, from }} />
          </section>
        )}
      </div>
    </>
  )
}

function Choice({
  label,
  value,
  onChange,
  children,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  children: ComponentChildren
}): JSX.Element {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {children}
      </select>
    </label>
  )
}

const option = (value: string, words: string): JSX.Element => (
  <option key={value} value={value}>
    {words}
  </option>
)

function PeriodChoice({ pin, view, onChange }: ChoicesProps): JSX.Element {
  const of = asked(view)
  return (
    <Choice
      label="Period"
      value={view.period ?? ''}
      onChange={(period) => {
        const { values = {}, compare, ...rest } = view
        const { from_date: _, to_date: __, ...others } = values
        const next = { ...rest, values: others, period }
        const fitting = PERIODS[period]?.compare
        onChange({ ...pin, definition: compare !== undefined && fitting ? { ...next, compare: fitting } : next })
      }}
    >
      {(view.period === undefined || !(view.period in PERIODS)) &&
        option(view.period ?? '', (of && periodInWords(of)) ?? 'As it is')}
      {Object.entries(PERIODS).map(([period, { words }]) => option(period, words))}
    </Choice>
  )
}

function FigureChoices({ pin, view, onChange }: ChoicesProps): JSX.Element | null {
  const of = asked(view)
  if (of === undefined) return null
  const columns = columnsOf(of)
  const date = of.range && columns.find(isDated)?.name
  return (
    <>
      <Choice
        label="Figure"
        value={pin.field ?? ROWS}
        onChange={(field) => {
          const { trend, of: _, good: __, ...kept } = pin
          const good = betterOf(of, field)
          onChange({
            ...{ ...kept, field },
            ...(good && { good }),
            ...(trend && date !== undefined && { trend: trendFor(view, date, field) }),
          })
        }}
      >
        {option(ROWS, 'Number of records')}
        {columns.filter(isAdditive).map((flat) => option(flat.name, nameOf(flat)))}
      </Choice>
      <Choice
        label="More of it is"
        value={pin.good ?? ''}
        onChange={(good) => {
          const { good: _, ...kept } = pin
          onChange(good === '' ? kept : { ...kept, good: good as 'more' })
        }}
      >
        {option('', 'neither good nor bad')}
        {option('more', 'good')}
        {option('less', 'bad')}
      </Choice>
      {of.range !== undefined && pin.definition !== undefined && (
        <Choice
          label="Compare with"
          value={view.compare ?? ''}
          onChange={(compare) => {
            const { compare: _, ...kept } = view
            onChange({ ...pin, definition: compare === '' ? kept : { ...kept, compare } })
          }}
        >
          {option('', 'nothing')}
          {option('month', 'the same days a month before')}
          {option('quarter', 'the same days a quarter before')}
          {option('year', 'the same days a year before')}
          {option('previous', 'the period before')}
        </Choice>
      )}
      {date !== undefined && pin.definition !== undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={pin.trend !== undefined}
            onChange={({ currentTarget: { checked } }) => {
              const { trend: _, ...kept } = pin
              onChange(checked ? { ...kept, trend: trendFor(view, date, pin.field ?? ROWS) } : kept)
            }}
          />
          Line of 12 months
        </label>
      )}
    </>
  )
}

function ListChoices({ pin, view, onChange }: ChoicesProps): JSX.Element | null {
  const of = asked(view)
  if (of === undefined) return null
  const columns = columnsOf(of)
  const [label = '', ...rest] = of.fields
  const [details, amount] = [rest.slice(0, -1), rest.at(-1) ?? '']
  const choose = (fields: readonly string[], sort = view.sort) =>
    onChange({ ...pin, definition: { ...view, fields: fields.filter(Boolean), ...(sort !== undefined && { sort }) } })
  const isAmount = (one: (typeof columns)[number]) => isNumeric(one.column) || isDated(one)
  return (
    <>
      <Choice label="Name" value={label} onChange={(next) => choose([next, ...details, amount])}>
        {columns.filter(isText).map((flat) => option(flat.name, nameOf(flat)))}
      </Choice>
      <Choice
        label="Detail"
        value={details[0] ?? ''}
        onChange={(next) => choose([label, next, ...details.slice(1), amount])}
      >
        {option('', 'none')}
        {columns.filter(({ name }) => name !== label && name !== amount).map((flat) => option(flat.name, nameOf(flat)))}
      </Choice>
      <Choice
        label="Number or date"
        value={amount}
        onChange={(next) => choose([label, ...details, next], [`-${next}`])}
      >
        {columns.filter(isAmount).map((flat) => option(flat.name, nameOf(flat)))}
      </Choice>
      <Choice
        label="First come"
        value={String(of.sort ?? '').startsWith('-') ? 'most' : 'least'}
        onChange={(order) =>
          choose(of.fields, [`${order === 'most' ? '-' : ''}${(of.sort ?? amount).replace(/^-/, '').split(',')[0]}`])
        }
      >
        {option('most', 'the most, or the latest')}
        {option('least', 'the least, or the earliest')}
      </Choice>
    </>
  )
}

const STYLES = { columns: 'Columns', lines: 'Lines', bars: 'Bars' } as const

function ChartChoices({ pin, view, onChange }: ChoicesProps): JSX.Element | null {
  const of = asked(view)
  if (of === undefined) return null
  const columns = columnsOf(of)
  const [by = ''] = of.group
  const measured = groupKey(of.measures[0] ?? ROWS)
  const field = measured.period === undefined ? ROWS : measured.field
  const canChoose = pin.definition !== undefined && of.group.length === 1 && of.measures.length < 2
  const style = styleOf(pin, of)
  const withoutStyle = () => {
    const { style: _, ...kept } = pin
    return kept
  }
  return (
    <>
      {canChoose && (
        <>
          <Choice
            label="By"
            value={by}
            onChange={(next) => onChange({ ...withoutStyle(), definition: chartedBy(view, next, field) })}
          >
            {columns
              .filter(isDated)
              .map((flat) => option(`month(${flat.name})`, `Month of ${nameOf(flat).toLowerCase()}`))}
            {columns.filter(isText).map((flat) => option(flat.name, nameOf(flat)))}
          </Choice>
          <Choice
            label="Figure"
            value={field}
            onChange={(next) =>
              onChange({ ...pin, definition: { ...chartedBy(view, by, next), measures: [measureOf(next)] } })
            }
          >
            {option(ROWS, 'Number of records')}
            {columns.filter(isAdditive).map((flat) => option(flat.name, nameOf(flat)))}
          </Choice>
        </>
      )}
      {style !== 'ages' && (
        <Choice label="Drawn as" value={style} onChange={(next) => onChange({ ...pin, style: next as 'bars' })}>
          {Object.entries(STYLES).map(([name, words]) => option(name, words))}
        </Choice>
      )}
    </>
  )
}
