/** How the links of a chart are followed: by a click, which stays in the page, and by the arrow keys. */
import { useRef, useState } from 'preact/hooks'
import { go } from '../../location.js'
import type { Slot } from '../graph.js'

export const follow = (event: MouseEvent, href: string | undefined) => {
  if (href === undefined || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return
  event.preventDefault()
  event.stopPropagation()
  go(href)
}

/** The arrow keys move between the links of a chart: through its slots, and in columns up and down through the series. */
export function useArrows(slots: readonly Slot[], series: number, begins: 'first' | 'last') {
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
