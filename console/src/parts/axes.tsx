/** The axes of a chart: round numbers from the bottom to the top, labels of the slots from left to right. */
import type { JSX, RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { short } from '../numbers.js'
import { grouping } from '../preferences.js'

export interface Axes {
  readonly width: number
  readonly height: number
  readonly labels: readonly string[]
  readonly ticks: readonly number[]
  /** Where the plot begins and ends. */
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  /** Width of a slot. */
  readonly band: number
  /** The middle of a slot. */
  x(slot: number): number
  y(value: number): number
}

const [TOP, BOTTOM, RIGHT] = [10, 24, 8]
/** Largest width of a character of a tick, in pixels. */
const CHARACTER = 7

export function axesOf(
  [width, height]: readonly [number, number],
  values: readonly number[],
  labels: readonly string[],
): Axes {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  const ticks = ticksOf(low, high)
  const left = Math.max(44, ...ticks.map((tick) => tickText(tick).length * CHARACTER + 10))
  const [right, bottom] = [width - RIGHT, height - BOTTOM]
  const [least, most] = [Math.min(low, ticks[0] ?? 0), Math.max(high, ticks.at(-1) ?? 1)]
  const band = (right - left) / Math.max(1, labels.length)
  return {
    ...{ width, height, labels, ticks, left, right, top: TOP, bottom, band },
    x: (slot) => left + band * (slot + 0.5),
    y: (value) => TOP + (1 - (value - least) / (most - least || 1)) * (bottom - TOP),
  }
}

const tickText = (value: number): string => short(value, grouping.value)

export function AxisLines({ axes }: { axes: Axes }): JSX.Element {
  const { width, height, labels, ticks, left, right, band, x, y } = axes
  const longest = Math.max(0, ...labels.map((label) => label.length)) * CHARACTER
  const every = Math.max(1, Math.ceil((longest + 12) / band))
  return (
    <>
      {ticks.map((at) => (
        <g key={at}>
          <line class={at === 0 ? 'axis' : 'rule'} x1={left} x2={right} y1={y(at)} y2={y(at)} />
          <text class="tick right" x={left - 8} y={y(at) + 4}>
            {tickText(at)}
          </text>
        </g>
      ))}
      {labels.map((label, slot) =>
        // The newest period always has its label, which ends inside the chart.
        (labels.length - 1 - slot) % every === 0 ? (
          <text
            key={label}
            class="tick middle"
            x={Math.min(x(slot), width - (label.length * CHARACTER) / 2)}
            y={height - 6}
          >
            {label}
          </text>
        ) : null,
      )}
    </>
  )
}

/** The width of an element in pixels, at least `least`, also after the window has changed. */
export function useWidth(element: RefObject<HTMLElement | null>, least: number): number {
  const [width, setWidth] = useState(Math.max(480, least))
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    const observer = new ResizeObserver(() => setWidth(Math.max(least, current.clientWidth)))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return width
}

/** Three to five round numbers over the range. */
function ticksOf(low: number, high: number): number[] {
  const span = high - low
  if (span === 0) return [0]
  const rough = span / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10) * power
  const ticks: number[] = []
  for (let tick = Math.floor(low / step) * step; tick < high + step * 0.999; tick += step)
    ticks.push(Math.round(tick * 1e6) / 1e6)
  return ticks
}
