/** The first page: six numbers, three charts and four lists of urgent records; each links to its rows. */
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { inWords, today } from '../dates.js'
import { compare, formatted, grouped, short, withoutZeros } from '../numbers.js'
import { Bars, Months, Sparkline } from '../parts/charts.js'
import { Icon } from '../parts/icons.js'
import { grouping } from '../preferences.js'
import { hasData, newestVersion } from '../session.js'
import { EmptyAccount } from './empty.js'
import type { Chart, List, Tile } from './model.js'
import { loadOverview } from './overview.js'

export function OverviewPage(): JSX.Element {
  if (hasData.value !== false) return <Figures />
  return (
    <div class="overview">
      <header class="title">
        <h1>Overview</h1>
      </header>
      <EmptyAccount />
    </div>
  )
}

function Figures(): JSX.Element {
  const version = newestVersion.value
  const overview = useMemo(() => loadOverview(), [version])
  useEffect(() => overview.stop, [overview])
  const { tiles, charts, lists, failure } = overview
  return (
    <div class="overview">
      <header class="title">
        <h1>Overview</h1>
        <p class="quiet">
          {inWords(today())} · version {version}
        </p>
      </header>
      {failure.value !== undefined && failure.value.status !== 403 && (
        <p class="note bad" role="alert">
          Some figures are missing: {failure.value.message}
        </p>
      )}
      <div class="tiles">
        {tiles.map((tile) => (
          <TileCard key={tile.title} tile={tile} />
        ))}
      </div>
      <div class="charts">
        {charts.map((chart) => (
          <ChartCard key={chart.title} chart={chart} />
        ))}
      </div>
      <div class="lists">
        {lists.map((list) => (
          <ListCard key={list.title} list={list} />
        ))}
      </div>
    </div>
  )
}

function ChartCard({ chart }: { chart: Chart }): JSX.Element | null {
  const { kind, title } = chart
  if (kind !== 'bars') return <Months kind={kind} title={title} series={chart.series.value} />
  return chart.bars.value === undefined ? null : <Bars title={title} names={[chart.name]} bars={chart.bars.value} />
}

function TileCard({ tile }: { tile: Tile }): JSX.Element {
  const { title, href, unit, trend, note } = tile
  const value = tile.value.value
  const before = tile.before.value
  const isCount = value !== undefined && /^-?\d+$/.test(value)
  const shown =
    value === undefined
      ? '…'
      : unit === '%'
        ? `${value} %`
        : isCount
          ? formatted(value, grouping.value)
          : short(Number(value), grouping.value)
  return (
    <a class="tile" href={href}>
      <span class="name">{title}</span>
      <span class="value" title={value === undefined ? undefined : formatted(value, grouping.value)}>
        {shown}
      </span>
      <span class="change">
        {note.value !== undefined && <span class="quiet">{note.value}</span>}
        {before !== undefined && value !== undefined && <Change {...{ value, before, unit }} />}
      </span>
      <Sparkline points={trend.value} label={`${title}, the last 12 months`} />
    </a>
  )
}

function Change({
  value,
  before,
  unit,
}: {
  value: string
  before: { label: string; value: string }
  unit: '%' | undefined
}): JSX.Element {
  const direction = compare(value, before.value)
  const base = Number(before.value)
  const difference = Number(value) - base
  const text =
    unit === '%'
      ? `${Math.abs(difference).toFixed(2)} pt`
      : base === 0
        ? short(difference, grouping.value)
        : Math.abs(difference / base) >= 10
          ? 'over 999 %'
          : `${Math.abs((100 * difference) / base).toFixed(1)} %`
  const good = direction === 0 ? '' : direction > 0 ? 'good' : 'bad'
  return (
    <>
      <span class={`delta ${good}`}>
        {direction > 0 ? '▲' : direction < 0 ? '▼' : '='} {direction === 0 ? 'no change' : text}
      </span>{' '}
      <span class="quiet">vs {before.label}</span>
    </>
  )
}

function ListCard({ list: { title, none, lines, total, href } }: { list: List }): JSX.Element {
  const found = lines.value
  return (
    <section class="list" aria-label={title}>
      <h2>
        {title}
        {found !== undefined && <span class="count">{grouped(String(total.value), grouping.value)}</span>}
      </h2>
      {found === undefined ? (
        <p class="quiet">…</p>
      ) : found.length === 0 ? (
        <p class="quiet">
          <Icon name="check" /> {none}
        </p>
      ) : (
        <>
          <ul>
            {found.map(({ label, detail, amount, unit }) => (
              <li key={`${label} ${detail}`}>
                <span class="what" title={`${label}\n${detail}`}>
                  <span class="label">{label}</span>
                  <small>{detail.replaceAll(' · ', '\u00a0· ')}</small>
                </span>
                <span class="amount">
                  {formatted(withoutZeros(amount), grouping.value)} <small>{unit}</small>
                </span>
              </li>
            ))}
          </ul>
          <a href={href.value}>Show the report</a>
        </>
      )}
    </section>
  )
}
