/** Small charts as SVG and HTML: lines over months and bars by name. Each has a text for screen readers, and links to its rows. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { formatted, short } from '../numbers.js'
import { grouping } from '../preferences.js'
import { AxisLines, axesOf, useWidth } from './axes.js'

export interface Point {
  readonly label: string
  /** Exact, as a decimal; undefined while it is being fetched. */
  readonly value: string | undefined
  readonly href?: string | undefined
  /** The period of the point is not over. */
  readonly unfinished?: boolean
}

export interface Series {
  readonly name: string
  readonly points: readonly Point[]
}

const size = (value: string | undefined): number => (value === undefined ? 0 : Number(value))

/** A trend without axes; a point without a value yet keeps its place. */
export function Sparkline({ points, label }: { points: readonly Point[]; label: string }): JSX.Element {
  const known = points.flatMap(({ value }, at) => (value === undefined ? [] : [{ at, value: size(value) }]))
  const values = known.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const x = (at: number) => (points.length < 2 ? 0 : (at / (points.length - 1)) * 100)
  const y = (value: number) => 26 - ((value - low) / (high - low || 1)) * 24
  const line = known.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
  return (
    <svg class="spark" viewBox="0 0 100 28" preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline points={line} />
    </svg>
  )
}

/** Up to two series over the same months: lines, or columns side by side. */
export function Months({
  series,
  kind,
  title,
  height = 200,
}: {
  series: readonly Series[]
  kind: 'line' | 'column'
  title: string
  height?: number
}): JSX.Element {
  const around = useRef<HTMLDivElement>(null)
  const width = useWidth(around, 200)
  const all = series.flatMap(({ points }) => points.map(({ value }) => size(value)))
  const axes = axesOf(
    [width, height],
    all,
    (series[0]?.points ?? []).map(({ label }) => label),
  )
  const { left, top, bottom, band, x, y } = axes
  const isOpen = series[0]?.points.some(({ unfinished }) => unfinished) ?? false
  const linked = series[0]?.points.some(({ href }) => href !== undefined) ?? false
  return (
    <figure class="chart" ref={around}>
      <figcaption>
        <span class="name">{title}</span>
        {(series.length > 1 || isOpen) && (
          <span class="legend">
            {series.length > 1 &&
              series.map(({ name }, at) => (
                <span key={name} class={`key s${at}`}>
                  {name}
                </span>
              ))}
            {isOpen && <span class="key open">so far</span>}
          </span>
        )}
      </figcaption>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role={linked ? 'group' : 'img'}
        aria-label={linked ? title : spoken(title, series)}
      >
        <AxisLines axes={axes} />
        {series.map(({ name, points }, at) =>
          kind === 'line' ? (
            <g key={name}>
              {[false, true].map((open) => (
                <polyline
                  key={String(open)}
                  class={`line s${at}${open ? ' open' : ''}`}
                  points={points
                    .flatMap(({ value, unfinished }, i) =>
                      value !== undefined && (open ? unfinished || points[i + 1]?.unfinished : !unfinished)
                        ? `${x(i).toFixed(1)},${y(size(value)).toFixed(1)}`
                        : [],
                    )
                    .join(' ')}
                />
              ))}
            </g>
          ) : (
            points.map(({ label, value, unfinished }, i) => {
              if (value === undefined) return null
              const wide = Math.max(2, Math.min(24, (band * 0.7) / series.length))
              const from = x(i) - (wide * series.length) / 2 + wide * at
              const [a, b] = [y(0), y(size(value))]
              return (
                <rect
                  key={`${name} ${label}`}
                  class={`bar s${at}${unfinished ? ' open' : ''}`}
                  x={from}
                  y={Math.min(a, b)}
                  width={Math.max(1, wide - 1)}
                  height={Math.max(0.5, Math.abs(a - b))}
                />
              )
            })
          ),
        )}
        {series[0]?.points.map(({ label: name, href, unfinished }, i) => {
          const label = unfinished ? `${name} so far` : name
          const text = series.map(({ name, points }) => `${name} ${exact(points[i]?.value)}`).join('\n')
          const hit = (
            <rect class="hit" x={left + band * i} y={top} width={band} height={bottom - top}>
              <title>{`${label}\n${text}`}</title>
            </rect>
          )
          return href === undefined ? (
            hit
          ) : (
            <a key={label} href={href} aria-label={`${label}: ${text}`}>
              {hit}
            </a>
          )
        })}
      </svg>
    </figure>
  )
}

const exact = (value: string | undefined): string =>
  value === undefined ? 'not known yet' : formatted(value, grouping.peek())

const spoken = (title: string, series: readonly Series[]): string =>
  `${title}. ${series
    .map(({ name, points }) => `${name}: ${points.map(({ label, value }) => `${label} ${exact(value)}`).join(', ')}`)
    .join('. ')}`

export interface Bar {
  readonly label: string
  /** Drawn without a bar, because the sum of the rest would be longer than all others. */
  readonly rest?: true
  readonly values: readonly string[]
  readonly href?: string | undefined
}

/** Bars by name, longest first as given; each value is shown beside its bar. */
export function Bars({
  bars,
  names,
  title,
}: {
  bars: readonly Bar[]
  names: readonly string[]
  title: string
}): JSX.Element {
  const most = Math.max(
    1e-9,
    ...bars.flatMap(({ values, rest }) => (rest ? [] : values.map((value) => Math.abs(Number(value))))),
  )
  return (
    <figure class="chart">
      <figcaption>
        <span class="name">{title}</span>
        {names.length > 1 && (
          <span class="legend">
            {names.map((name, at) => (
              <span key={name} class={`key s${at}`}>
                {name}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <ul class="bars">
        {bars.map(({ label, values, href, rest }) => (
          <li key={label}>
            {href === undefined ? (
              <span class="name" title={label}>
                {label}
              </span>
            ) : (
              <a class="name" href={href} title={label}>
                {label}
              </a>
            )}
            <span class="tracks">
              {(rest ? [] : values).map((value, at) => (
                <span
                  key={names[at]}
                  class={`track s${at}${Number(value) < 0 ? ' negative' : ''}`}
                  style={{
                    width: `${(Math.abs(Number(value)) / most) * 100}%`,
                    ...(Number(value) === 0 && { minWidth: 0 }),
                  }}
                />
              ))}
            </span>
            <span
              class="amount"
              title={values.map((value, at) => `${names[at]}: ${formatted(value, grouping.value)}`).join('\n')}
            >
              {values.map((value, at) => (
                <span key={names[at]}>{short(Number(value), grouping.value)}</span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </figure>
  )
}
