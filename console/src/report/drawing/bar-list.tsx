/** Bars by name, each with its value beside it. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Graph, size } from '../graph.js'
import { useArrows } from './arrows.js'
import { Tip } from './tip.js'
import { exact } from './words.js'

interface Props {
  graph: Graph
  isStacked: boolean
  unit: string | undefined
}

export function BarList({ graph, isStacked, unit }: Props): JSX.Element {
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
