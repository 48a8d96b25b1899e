/** The buttons Group and Compare, and a chip for each group and for the comparison. */
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { View } from '../ask.js'
import type { CatalogueReport, Flat, Values } from '../catalogue.js'
import { rangeInWords } from '../dates.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import { nameOf } from '../people.js'
import {
  type Answer,
  columnsFor,
  FUNCTIONS,
  type FunctionName,
  firstMeasures,
  functionsFor,
  groupable,
  isDated,
  listOf,
  pruned,
  ROWS,
} from './answer.js'
import { COMPARISONS, compareInWords, earlier, groupInWords, measureList } from './group-words.js'
import { PERIODS, type Period, periodWord } from './periods.js'
import { hasRange } from './view.js'

interface Props {
  report: CatalogueReport
  values: Values
  view: View
  answer: Answer
  onView: (view: View) => void
}

const has = (text: string, { name }: Pick<Flat, 'name'>, heading: string) =>
  `${name} ${heading}`.toLowerCase().includes(text.trim().toLowerCase())

export function GroupButton(props: Props): JSX.Element | null {
  const { report, values, view, answer, onView } = props
  const [text, setText] = useState('')
  const search = useRef<HTMLInputElement>(null)
  const all = columnsFor(report, values)
  const fields = groupable(all)
  const groups = listOf(view.group)
  if (fields.length === 0) return null
  const set = (next: readonly string[]) =>
    onView(
      pruned(report, values, {
        ...view,
        group: next.join() || undefined,
        measures: groups.length === 0 ? firstMeasures(report, values) : view.measures,
      }),
    )
  const toggle = (one: string) => set(groups.includes(one) ? groups.filter((other) => other !== one) : [...groups, one])
  const choose = (one: string) => {
    toggle(one)
    if (text === '') return
    // For the name of the next field.
    setText('')
    search.current?.focus()
  }
  const shown = fields.filter((flat) => has(text, flat, nameOf(flat)))
  return (
    <>
      <Menu
        class={groups.length > 0 ? 'chip on' : 'chip'}
        label={
          <>
            <Icon name="group" /> Group
          </>
        }
        title="Group the rows, and choose the figures of the groups"
      >
        {() => (
          <div class="items grouping">
            <input
              ref={search}
              type="search"
              placeholder="Find a field"
              aria-label="Find a field to group by"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
            <div class="scroll" role="group" aria-label="Group by">
              {shown.map((flat) =>
                isDated(flat) ? (
                  <Dated key={flat.name} flat={flat} groups={groups} onToggle={choose} />
                ) : (
                  <button
                    key={flat.name}
                    type="button"
                    class={groups.includes(flat.name) ? 'item chosen' : 'item'}
                    aria-pressed={groups.includes(flat.name)}
                    title={flat.column.description.replaceAll('`', '')}
                    onClick={() => choose(flat.name)}
                  >
                    <span>{nameOf(flat)}</span>
                    {groups.includes(flat.name) && <Icon name="check" />}
                  </button>
                ),
              )}
              {shown.length === 0 && <p class="about">No field has this name.</p>}
            </div>
            {groups.length > 0 && <Figures {...props} fields={all} />}
          </div>
        )}
      </Menu>
      {groups.map((one) => {
        const words = groupInWords(one, answer.keys)
        return (
          <button
            key={one}
            type="button"
            class="chip filter"
            aria-label={`Remove the group by ${words}`}
            title="Remove"
            onClick={(event) => {
              const next = event.currentTarget.nextElementSibling as HTMLElement | null
              toggle(one)
              next?.focus()
            }}
          >
            <span class="quiet">by</span> <strong class="clip">{words}</strong>
            <Icon name="close" />
          </button>
        )
      })}
    </>
  )
}

/** A date, with a button for each kind of period. */
function Dated({ flat, groups, onToggle }: { flat: Flat; groups: readonly string[]; onToggle: (one: string) => void }) {
  return (
    <div class="dated" role="group" aria-label={nameOf(flat)}>
      <span title={flat.column.description.replaceAll('`', '')}>{nameOf(flat)}</span>
      <span class="periods">
        {(Object.keys(PERIODS) as Period[]).map((period) => {
          const one = `${period}(${flat.name})`
          return (
            <button
              key={period}
              type="button"
              class={groups.includes(one) ? 'item chosen' : 'item'}
              aria-pressed={groups.includes(one)}
              // With what the button shows, for people who say it aloud.
              aria-label={`${nameOf(flat)} by ${period === 'fy' ? `${PERIODS.fy}, the ${periodWord(period)}` : periodWord(period)}`}
              onClick={() => onToggle(one)}
            >
              {PERIODS[period]}
            </button>
          )
        })}
      </span>
    </div>
  )
}

/** The figures of the groups: a function and a field each. */
function Figures({ report, values, view, answer, onView, fields }: Props & { fields: readonly Flat[] }): JSX.Element {
  const chosen = measureList(
    view.measures,
    answer.measures.map(({ text }) => text),
  )
  const set = (next: readonly string[]) =>
    onView(pruned(report, values, { ...view, measures: next.length === 0 ? ROWS : [...new Set(next)].join() }))
  const measurable = fields.filter((flat) => !['lines', 'list', 'object'].includes(flat.column.kind))
  return (
    <div class="measures" role="group" aria-label="Figures">
      <p class="about">Figures, beside the number of rows</p>
      {chosen.map((text) => {
        const measure = answer.measures.find((one) => one.text === text)
        if (measure === undefined) return null
        const { source } = measure
        const name = nameOf(source)
        return (
          <div key={text} class="figure">
            <select
              aria-label={`Function of ${name}`}
              value={measure.function}
              onChange={({ currentTarget }) =>
                set(chosen.map((one) => (one === text ? `${currentTarget.value}(${source.name})` : one)))
              }
            >
              {functionsFor(source).map((one) => (
                <option key={one} value={one}>
                  {FUNCTIONS[one]}
                </option>
              ))}
            </select>
            <span class="clip" title={name}>
              {name}
            </span>
            <button
              type="button"
              class="mini"
              aria-label={`Remove ${FUNCTIONS[measure.function as FunctionName].toLowerCase()} of ${name}`}
              onClick={() => set(chosen.filter((one) => one !== text))}
            >
              <Icon name="close" />
            </button>
          </div>
        )
      })}
      <select
        class="add"
        aria-label="Add a figure"
        value=""
        onChange={({ currentTarget }) => {
          const source = measurable.find(({ name }) => name === currentTarget.value)
          currentTarget.value = ''
          if (source === undefined) return
          const free = functionsFor(source).find((one) => !chosen.includes(`${one}(${source.name})`))
          if (free !== undefined) set([...chosen, `${free}(${source.name})`])
        }}
      >
        <option value="">Add a figure…</option>
        {measurable.map((flat) => (
          <option key={flat.name} value={flat.name}>
            {nameOf(flat)}
          </option>
        ))}
      </select>
    </div>
  )
}

/** The comparisons of a report with a range of days. */
export function CompareItems({
  values,
  view,
  onChoose,
}: {
  values: Values
  view: View
  onChoose: (compare: string | undefined) => void
}) {
  const options = Object.entries(COMPARISONS).map(([compare, name]) => ({
    compare,
    name,
    range: earlier(values, compare),
  }))
  if (options.some(({ range }) => range === undefined))
    return <p class="about">Choose dates first: a comparison takes an earlier period from them.</p>
  return (
    <>
      <button type="button" class={view.compare ? 'item' : 'item chosen'} onClick={() => onChoose(undefined)}>
        No comparison
      </button>
      {options.map(({ compare, name, range }) => (
        <button
          key={compare}
          type="button"
          class={view.compare === compare ? 'item chosen' : 'item'}
          onClick={() => onChoose(compare)}
        >
          <span>{name}</span>
          <span class="quiet">{range && rangeInWords(range)}</span>
        </button>
      ))}
    </>
  )
}

export function CompareButton({ report, values, view, onView }: Omit<Props, 'answer'>): JSX.Element | null {
  if (!hasRange(report)) return null
  const choose = (compare: string | undefined) => onView(pruned(report, values, { ...view, compare }))
  return (
    <>
      <Menu
        class={view.compare ? 'chip on' : 'chip'}
        label={
          <>
            <Icon name="compare" /> Compare
          </>
        }
        title="Compare with an earlier period"
      >
        {(close) => (
          <div class="items">
            <CompareItems
              values={values}
              view={view}
              onChoose={(compare) => {
                close()
                choose(compare)
              }}
            />
          </div>
        )}
      </Menu>
      {view.compare && (
        <button
          type="button"
          class="chip filter"
          aria-label={`Remove the comparison: ${compareInWords(values, view.compare)}`}
          title="Remove"
          onClick={(event) => {
            const before = event.currentTarget.previousElementSibling?.querySelector<HTMLElement>('button')
            choose(undefined)
            before?.focus()
          }}
        >
          <strong class="clip">{compareInWords(values, view.compare)}</strong>
          <Icon name="close" />
        </button>
      )}
    </>
  )
}
