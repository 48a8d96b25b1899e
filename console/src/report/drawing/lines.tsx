/** The lines of a chart, with a dot for each value. */
import type { JSX } from 'preact'
import { type Graph, size, type Value } from '../graph.js'

interface Props {
  graph: Graph
  x: (slot: number) => number
  y: (value: number) => number
  link: (slot: number, which: number, value: Value, shape: JSX.Element) => JSX.Element
  showsBefore: boolean
}

/** A line for each series; dashed towards and from an unfinished period. */
export function Lines({ graph: { slots, series }, x, y, link, showsBefore }: Props): JSX.Element {
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
