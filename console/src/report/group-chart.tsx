/** Draws the groups of a view: columns, lines or stacked columns over time, bars by name. Every bar is a link to its rows. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Failure } from '../api.js'
import { asFailure } from '../api.js'
import type { View } from '../ask.js'
import type { CatalogueReport, Values } from '../catalogue.js'
import { account } from '../company.js'
import { go } from '../location.js'
import { add, formatted, negated, short } from '../numbers.js'
import { ticksOf } from '../parts/charts.js'
import { nameOf } from '../people.js'
import { grouping } from '../preferences.js'
import type { Answer } from './answer.js'
import { type Graph, graphOf, type Slot, unitInWords, type Value } from './graph.js'
import { keyInWords } from './group-words.js'
import { type Figure, type Groups, groupsOf, isOverTime, viewOfFigure } from './groups.js'
import { percentOf } from './percent.js'

/** The most groups that a chart fetches, in one request. */
const MOST = 5000

export type Kind = 'bars' | 'lines' | 'stacked'

interface Props {
  report: CatalogueReport
  values: Values
  view: View
  answer: Answer
  figure: Figure
  /** Undefined for the kind that fits. */
  kind: Kind | undefined
}

export function GroupChart({ report, values, view, answer, figure, kind }: Props): JSX.Element {
  const found = useSignal<{ groups: Groups; question: string } | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const again = useSignal(0)
  const unit = useSignal<string | undefined>(undefined)
  const isTime = isOverTime(answer.keys)
  const asked = { ...viewOfFigure(view, figure, isTime ? undefined : 'largest') }
  const question = JSON.stringify([values, asked, figure.flat.name])
  useEffect(() => {
    const controller = new AbortController()
    failure.value = undefined
    groupsOf(report, values, asked, MOST, controller.signal).then(
      (groups) => {
        found.value = { groups, question }
      },
      (error: Error) => {
        if (error.name !== 'AbortError') failure.value = asFailure(error)
      },
    )
    return () => controller.abort()
  }, [question, again.value])
  const groups = found.value?.groups
  const graph = useMemo(
    () => groups && graphOf({ report, values, view: asked }, groups, figure, unit.value),
    [groups, unit.value],
  )
  if (failure.value !== undefined)
    return (
      <section class="chart-band" aria-label="Chart">
        <p class="note bad" role="alert">
          The chart could not be drawn: {failure.value.message}{' '}
          <button type="button" class="link" onClick={() => again.value++}>
            Try again
          </button>
        </p>
      </section>
    )
  const by = answer.keys.filter(({ isUnit }) => !isUnit).map(keyInWords)
  const shownUnit = unitInWords(figure, graph?.unit, account.value?.currency)
  const title = `${nameOf(figure.flat)}${shownUnit === undefined ? '' : `, ${shownUnit}`}`
  return (
    <section
      class="chart-band"
      aria-label={`${title} by ${by.join(' and ')}`}
      aria-busy={found.value?.question !== question}
    >
      {graph === undefined ? (
        <div class="graph-wait" />
      ) : graph.slots.length === 0 ? (
        <p class="quiet">No rows match, so there is nothing to draw.</p>
      ) : (
        <figure class="graph">
          <figcaption>
            <strong>{title}</strong>
            {graph.units.length > 1 && (
              <label class="unit">
                <span class="unseen">Unit</span>
                <select
                  aria-label="Unit of the chart"
                  value={graph.unit}
                  onChange={({ currentTarget }) => {
                    unit.value = currentTarget.value
                  }}
                >
                  {graph.units.map((one) => (
                    <option key={one} value={one}>
                      {one === '' ? 'no unit' : one}
                    </option>
                  ))}
                </select>
              </label>
            )}
            <Legend graph={graph} />
          </figcaption>
          {graph.isTime ? (
            <Columns graph={graph} kind={kind ?? 'bars'} unit={shownUnit} title={title} />
          ) : (
            <BarList graph={graph} isStacked={kind === 'stacked'} unit={shownUnit} />
          )}
          <Numbers graph={graph} title={title} />
          {(graph.note !== undefined || graph.slots.some(({ unfinished }) => unfinished)) && (
            <p class="quiet graph-note">
              {graph.slots.some(({ unfinished }) => unfinished) && <UnfinishedWords slots={graph.slots} />} {graph.note}
            </p>
          )}
        </figure>
      )}
    </section>
  )
}

const UnfinishedWords = ({ slots }: { slots: readonly Slot[] }) => (
  <span class="hatch-key">
    Unfinished: {slots.flatMap(({ label, unfinished }) => (unfinished ? [`${label} (${unfinished})`] : [])).join(', ')}.
  </span>
)

function Legend({ graph: { series, isCompared } }: { graph: Graph }): JSX.Element | null {
  if (series.length < 2 && !isCompared) return null
  return (
    <span class="legend">
      {series.length > 1 ? (
        series.map((name, at) => (
          <span key={name} class={`key g${at}`}>
            {name}
          </span>
        ))
      ) : (
        <>
          <span class="key g0">this period</span>
          <span class="key was">before</span>
        </>
      )}
    </span>
  )
}

const exact = (value: string | undefined): string => (value === undefined ? '–' : formatted(value, grouping.value))

/** The whole chart as a table, for screen readers. */
function Numbers({ graph: { slots, series, isCompared }, title }: { graph: Graph; title: string }): JSX.Element {
  return (
    <table class="unseen">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Group</th>
          {series.flatMap((name) => [
            <th key={name} scope="col">
              {name || title}
            </th>,
            ...(isCompared ? [<th key={`${name} before`} scope="col">{`${name || title}, before`}</th>] : []),
          ])}
        </tr>
      </thead>
      <tbody>
        {slots.map(({ label, values, unfinished }) => (
          <tr key={label}>
            <th scope="row">{unfinished === undefined ? label : `${label}, ${unfinished}`}</th>
            {values.flatMap(({ now, before }, at) => [
              <td key={at}>{exact(now)}</td>,
              ...(isCompared ? [<td key={`${at} before`}>{exact(before)}</td>] : []),
            ])}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The values of a slot, beside the pointer or the focus. */
function Tip({
  graph,
  slot,
  unit,
  left,
  right,
}: {
  graph: Graph
  slot: Slot
  unit: string | undefined
  left?: number
  right?: number
}) {
  const { series, isCompared } = graph
  const style = right === undefined ? { left: `${left}px` } : { right: `${right}px` }
  const parts = slot.values
    .map((value, at) => ({ value, name: series[at] ?? '', at }))
    .filter(({ value: { now, before } }) => now !== undefined || before !== undefined)
  return (
    <div class="tip" style={style} aria-hidden="true">
      <strong>{slot.label}</strong>
      {slot.unfinished !== undefined && <span class="word warn">{slot.unfinished}</span>}
      <dl>
        {parts.map(({ value: { now, before }, name, at }) => (
          <div key={at}>
            <dt class={series.length > 1 ? `key g${at}` : undefined}>{name}</dt>
            <dd>
              {exact(now)} {unit}
            </dd>
            {isCompared && (
              <dd class="quiet">
                before {exact(before)}
                {now !== undefined && before !== undefined && ` (${changeInWords(now, before)})`}
              </dd>
            )}
          </div>
        ))}
      </dl>
    </div>
  )
}

function changeInWords(now: string, before: string): string {
  const change = add(now, negated(before))
  const percent = percentOf(change, before)
  const text = `${change.startsWith('-') ? '' : '+'}${exact(change)}`
  return percent === undefined ? text : `${text}, ${percent}`
}

const size = (value: string | undefined): number => (value === undefined ? 0 : Number(value))

const follow = (event: MouseEvent, href: string | undefined) => {
  if (href === undefined || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return
  event.preventDefault()
  event.stopPropagation()
  go(href)
}

/** The arrow keys move between the links of a chart: through its slots, and in columns up and down through the series. */
function useArrows(slots: readonly Slot[], series: number, begins: 'first' | 'last') {
  const around = useRef<HTMLDivElement>(null)
  const [chosen, setAt] = useState<{ slot: number; series: number } | undefined>(undefined)
  const hasLink = (at: { slot: number; series: number }) => slots[at.slot]?.values[at.series]?.href !== undefined
  const firstIn = (slot: number) => ({
    slot,
    series: slots[slot]?.values.findIndex(({ href }) => href !== undefined) ?? -1,
  })
  const all = slots.map((_, slot) => firstIn(slot)).filter(hasLink)
  const at =
    chosen !== undefined && hasLink(chosen) ? chosen : (all.at(begins === 'first' ? 0 : -1) ?? { slot: 0, series: 0 })
  const onKeyDown = (event: KeyboardEvent) => {
    const by = {
      ...{ ArrowRight: [1, 0], ArrowLeft: [-1, 0], Home: [-1e9, 0], End: [1e9, 0] },
      ...(begins === 'first' ? { ArrowUp: [-1, 0], ArrowDown: [1, 0] } : { ArrowUp: [0, 1], ArrowDown: [0, -1] }),
    }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const clamp = (value: number, most: number) => Math.max(0, Math.min(most, value))
    const slot = clamp(at.slot + (by[0] ?? 0), slots.length - 1)
    const same = { slot, series: clamp(at.series + (by[1] ?? 0), series - 1) }
    const next = hasLink(same) ? same : firstIn(slot) // a slot may have no value in this series
    if (!hasLink(next)) return
    setAt(next)
    around.current?.querySelector<SVGElement>(`[data-at="${next.slot} ${next.series}"]`)?.focus()
  }
  return { around, at, setAt, onKeyDown }
}

const [TOP, BOTTOM, RIGHT, HEIGHT] = [10, 24, 8, 260]
/** Largest width of a character of a tick, in pixels. */
const CHARACTER = 7

function Columns({
  graph,
  kind,
  unit,
  title,
}: {
  graph: Graph
  kind: Kind
  unit: string | undefined
  title: string
}): JSX.Element {
  const { slots, series, isCompared } = graph
  const [width, setWidth] = useState(640)
  const [over, setOver] = useState<number | undefined>(undefined)
  const { around, at, setAt, onKeyDown } = useArrows(slots, series.length, 'last')
  useLayoutEffect(() => {
    const element = around.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(Math.max(240, element.clientWidth)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const isStacked = kind === 'stacked' && series.length > 1
  const showsBefore = isCompared && series.length === 1
  const edges = slots.flatMap(({ values }) => {
    if (!isStacked) return values.flatMap(({ now, before }) => (showsBefore ? [size(now), size(before)] : [size(now)]))
    const sum = (sign: number) => values.reduce((all, { now }) => (size(now) * sign > 0 ? all + size(now) : all), 0)
    return [sum(1), sum(-1)]
  })
  const [low, high] = [Math.min(0, ...edges), Math.max(0, ...edges)]
  const ticks = ticksOf(low, high).map((at) => ({ at, text: short(at, grouping.value) }))
  const left = Math.max(44, ...ticks.map(({ text }) => text.length * CHARACTER + 10))
  const [bottom, top] = [Math.min(low, ticks[0]?.at ?? 0), Math.max(high, ticks.at(-1)?.at ?? 1)]
  const band = (width - left - RIGHT) / Math.max(1, slots.length)
  const x = (slot: number) => left + band * (slot + 0.5)
  const y = (value: number) => TOP + (1 - (value - bottom) / (top - bottom || 1)) * (HEIGHT - TOP - BOTTOM)
  const every = Math.max(1, Math.ceil(slots.length / Math.max(1, Math.floor((width - left) / 76))))
  const link = (slot: number, which: number, { href, now }: Value, shape: JSX.Element) =>
    href === undefined ? (
      <g key={which}>{shape}</g>
    ) : (
      <a
        key={which}
        href={href}
        data-at={`${slot} ${which}`}
        tabIndex={at.slot === slot && at.series === which ? 0 : -1}
        aria-label={`${slots[slot]?.label}${series.length > 1 ? `, ${series[which]}` : ''}: ${exact(now)} ${unit ?? ''}; show its rows`}
        onFocus={() => {
          setOver(slot)
          setAt({ slot, series: which })
        }}
        onClick={(event) => follow(event, href)}
      >
        {shape}
      </a>
    )
  const rect = (from: number, wide: number, a: number, b: number, style: string, isHatched = false) => {
    const box = { x: from, y: Math.min(a, b), width: Math.max(1, wide), height: Math.max(0.75, Math.abs(a - b)) }
    return (
      <>
        <rect class={style} {...box} />
        {isHatched && <rect class="hatch" fill="url(#hatch)" {...box} />}
      </>
    )
  }
  const columns = (slot: Slot, i: number) => {
    const partial = slot.unfinished !== undefined
    if (isStacked) {
      const wide = Math.max(2, Math.min(48, band * 0.72))
      let [up, down] = [0, 0]
      return slot.values.map((value, which) => {
        const amount = size(value.now)
        if (amount === 0) return null
        const from = amount > 0 ? up : down
        if (amount > 0) up += amount
        else down += amount
        return link(i, which, value, rect(x(i) - wide / 2, wide, y(from), y(from + amount), `bar g${which}`, partial))
      })
    }
    const parts = series.length + (showsBefore ? 1 : 0)
    const wide = Math.max(1.5, Math.min(36, (band * 0.76) / parts))
    const from = x(i) - (wide * parts) / 2
    return slot.values.flatMap((value, which) => {
      const place = from + wide * (which + (showsBefore ? 1 : 0))
      const now =
        value.now === undefined
          ? null
          : link(i, which, value, rect(place, wide - 1, y(0), y(size(value.now)), `bar g${which}`, partial))
      if (!showsBefore || value.before === undefined) return [now]
      return [
        <g key="before">
          {value.hrefBefore === undefined ? null : (
            <a
              href={value.hrefBefore}
              tabIndex={-1}
              aria-label={`${slot.label}, before: ${exact(value.before)} ${unit ?? ''}; show its rows`}
              onClick={(event) => follow(event, value.hrefBefore)}
            >
              {rect(from, wide - 1, y(0), y(size(value.before)), 'bar was')}
            </a>
          )}
        </g>,
        now,
      ]
    })
  }
  return (
    <div
      class="plot"
      ref={around}
      onKeyDown={onKeyDown}
      onPointerLeave={() => setOver(undefined)}
      onFocusOut={() => setOver(undefined)}
    >
      <svg
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="group"
        aria-label={`${title}. The arrow keys move through the values.`}
      >
        <defs>
          <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect class="gap" width="3" height="6" />
          </pattern>
        </defs>
        {ticks.map(({ at, text }) => (
          <g key={at}>
            <line class={at === 0 ? 'axis' : 'rule'} x1={left} x2={width - RIGHT} y1={y(at)} y2={y(at)} />
            <text class="tick right" x={left - 8} y={y(at) + 4}>
              {text}
            </text>
          </g>
        ))}
        {slots.map(({ label }, i) =>
          // The newest period always has its label.
          (slots.length - 1 - i) % every === 0 ? (
            <text key={label} class="tick middle" x={x(i)} y={HEIGHT - 6}>
              {label}
            </text>
          ) : null,
        )}
        {slots.map(({ label, href }, i) => (
          <rect
            key={label}
            class={over === i ? 'slot over' : 'slot'}
            x={left + band * i}
            y={TOP}
            width={band}
            height={HEIGHT - TOP - BOTTOM}
            onPointerEnter={() => setOver(i)}
            onClick={(event) => follow(event, href)}
          />
        ))}
        {kind === 'lines' ? (
          <Lines {...{ graph, x, y, link, showsBefore }} />
        ) : (
          slots.map((slot, i) => (
            <g key={slot.label} onPointerEnter={() => setOver(i)}>
              {columns(slot, i)}
            </g>
          ))
        )}
      </svg>
      {over !== undefined && slots[over] !== undefined && (
        <Tip
          {...{ graph, unit }}
          slot={slots[over] as Slot}
          {...(x(over) > width / 2 ? { right: width - x(over) + 12 } : { left: x(over) + 12 })}
        />
      )}
    </div>
  )
}

/** A line for each series; dashed towards and from an unfinished period. */
function Lines({
  graph: { slots, series },
  x,
  y,
  link,
  showsBefore,
}: {
  graph: Graph
  x: (slot: number) => number
  y: (value: number) => number
  link: (slot: number, which: number, value: Value, shape: JSX.Element) => JSX.Element
  showsBefore: boolean
}): JSX.Element {
  const segments = (of: (value: Value | undefined) => string | undefined, which: number, style: string) =>
    slots.slice(1).map((slot, i) => {
      const [a, b] = [of(slots[i]?.values[which]), of(slot.values[which])]
      if (a === undefined || b === undefined) return null
      const dashed = slot.unfinished !== undefined || slots[i]?.unfinished !== undefined
      return (
        <line
          key={`${style} ${slot.label}`}
          class={`line ${style}${dashed ? ' unfinished' : ''}`}
          x1={x(i)}
          y1={y(size(a))}
          x2={x(i + 1)}
          y2={y(size(b))}
        />
      )
    })
  const many = slots.length > 60
  return (
    <>
      {showsBefore && segments((value) => value?.before, 0, 'was')}
      {series.map((name, which) => (
        <g key={name}>
          {segments((value) => value?.now, which, `g${which}`)}
          {slots.map((slot, i) => {
            const value = slot.values[which]
            if (value?.now === undefined) return null
            const hollow = slot.unfinished === undefined ? '' : ' hollow'
            return link(
              i,
              which,
              value,
              <>
                <circle class="reach" cx={x(i)} cy={y(size(value.now))} r="8" />
                <circle class={`dot g${which}${hollow}`} cx={x(i)} cy={y(size(value.now))} r={many ? 1.5 : 3.5} />
              </>,
            )
          })}
        </g>
      ))}
    </>
  )
}

/** Bars by name, each with its value beside it. */
function BarList({
  graph,
  isStacked,
  unit,
}: {
  graph: Graph
  isStacked: boolean
  unit: string | undefined
}): JSX.Element {
  const { slots, series, isCompared } = graph
  const { around, at, setAt, onKeyDown } = useArrows(slots, series.length, 'first')
  const [over, setOver] = useState<number | undefined>(undefined)
  const showsBefore = isCompared && series.length === 1
  const drawn = slots.filter(({ isRest }) => !isRest)
  const lengths = drawn.flatMap(({ values }) =>
    isStacked
      ? [values.reduce((all, { now }) => all + Math.abs(size(now)), 0)]
      : values.flatMap(({ now, before }) => [Math.abs(size(now)), showsBefore ? Math.abs(size(before)) : 0]),
  )
  const most = Math.max(1e-9, ...lengths)
  const wide = (value: string | undefined) => ({ width: `${(Math.abs(size(value)) / most) * 100}%` })
  return (
    <div
      class="bar-list"
      ref={around}
      onKeyDown={onKeyDown}
      onPointerLeave={() => setOver(undefined)}
      onFocusOut={() => setOver(undefined)}
    >
      <ul>
        {slots.map((slot, i) => (
          <li key={slot.label} onPointerEnter={() => setOver(i)}>
            {slot.href === undefined ? (
              <span class="name quiet">{slot.label}</span>
            ) : (
              <a class="name" href={slot.href} tabIndex={-1} title={slot.label}>
                {slot.label}
              </a>
            )}
            <span class={isStacked ? 'tracks stacked' : 'tracks'}>
              {!slot.isRest &&
                slot.values.map((value, which) => {
                  if (value.now === undefined && value.before === undefined) return null
                  const tone = size(value.now) < 0 ? ' negative' : ''
                  const of = series.length > 1 ? `${slot.label}, ${series[which]}` : slot.label
                  return [
                    <Track
                      key={which}
                      href={value.href ?? slot.href}
                      style={`g${which}${tone}`}
                      wide={wide(value.now)}
                      words={`${of}: ${exact(value.now)} ${unit ?? ''}; show its rows`}
                      at={`${i} ${which}`}
                      tabIndex={at.slot === i && at.series === which ? 0 : -1}
                      onFocus={() => {
                        setOver(i)
                        setAt({ slot: i, series: which })
                      }}
                    />,
                    showsBefore && (
                      <Track
                        key="before"
                        href={value.hrefBefore}
                        style="was"
                        wide={wide(value.before)}
                        words={`${of}, before: ${exact(value.before)} ${unit ?? ''}; show its rows`}
                      />
                    ),
                  ]
                })}
            </span>
            <span class="amount">{series.length === 1 && exact(slot.values[0]?.now)}</span>
            {over === i && (series.length > 1 || isCompared) && <Tip {...{ graph, slot, unit }} right={8} />}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Track({
  href,
  style,
  wide,
  words,
  at,
  tabIndex = -1,
  onFocus,
}: {
  href: string | undefined
  style: string
  wide: { width: string }
  words: string
  at?: string
  tabIndex?: number
  onFocus?: () => void
}): JSX.Element {
  if (href === undefined) return <span class={`track ${style}`} style={wide} />
  return (
    <a
      class={`track ${style}`}
      style={wide}
      href={href}
      data-at={at}
      tabIndex={tabIndex}
      onFocus={onFocus ?? (() => {})}
    >
      <span class="unseen">{words}</span>
    </a>
  )
}
