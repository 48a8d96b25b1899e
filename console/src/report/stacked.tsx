/** Several texts in a cell, each on its line. */
import type { JSX } from 'preact'

export const Stacked = ({ lines }: { lines: readonly string[] }): JSX.Element => (
  <span class={lines.length > 1 ? 'stacked' : undefined}>
    {lines.map((line) => (
      <span key={line}>{line}</span>
    ))}
  </span>
)
