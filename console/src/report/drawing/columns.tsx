/** A chart over time: columns, stacked columns or lines, each a link to its rows. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { AxisLines, axesOf, useWidth } from '../../parts/axes.js'
import { type Graph, type Slot, size, type Value } from '../graph.js'
import { follow, useArrows } from './arrows.js'
import { Lines } from './lines.js'
import { Tip } from './tip.js'
import { exact } from './words.js'

export type Kind = 'bars' | 'lines' | 'stacked'

interface Props {
  graph: Graph
  kind: Kind
  unit: string | undefined
  title: string
}

const HEIGHT = 260

export function Columns({ graph, kind, unit, title }: Props): JSX.Element {
  const { slots, series, isCompared } = graph
  const [over, setOver] = useState<number | undefined>(undefined)
  const { around, at, setAt, onKeyDown } = useArrows(slots, series.length, 'last')
  const width = useWidth(around, 240)
  const isStacked = kind === 'stacked' && series.length > 1
  const showsBefore = isCompared && series.length === 1
  const edges = slots.flatMap(({ values }) => {
    if (!isStacked) return values.flatMap(({ now, before }) => (showsBefore ? [size(now), size(before)] : [size(now)]))
    const sum = (sign: number) => values.reduce((all, { now }) => (size(now) * sign > 0 ? all + size(now) : all), 0)
    return [sum(1), sum(-1)]
  })
  const axes = axesOf(
    [width, HEIGHT],
    edges,
    slots.map(({ label }) => label),
  )
  const { left, top, bottom, band, x, y } = axes
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
        <AxisLines axes={axes} />
        {slots.map(({ label, href }, i) => (
          <rect
            key={label}
            class={over === i ? 'slot over' : 'slot'}
            x={left + band * i}
            y={top}
            width={band}
            height={bottom - top}
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
