/** The exact values of a slot of a chart, beside the pointer or the focus. */
import type { JSX } from 'preact'
import type { Graph, Slot } from '../graph.js'
import { changeInWords, exact } from './words.js'

interface Props {
  graph: Graph
  slot: Slot
  unit: string | undefined
  left?: number
  right?: number
}

export function Tip({ graph, slot, unit, left, right }: Props): JSX.Element {
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
