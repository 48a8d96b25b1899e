/** Warnings of a load: how many of each kind, and examples. */
import type { JSX } from 'preact'
import { grouped } from '../numbers.js'
import { grouping } from '../preferences.js'

export interface WarningKind {
  readonly check: string
  readonly count: number
  readonly examples: readonly string[]
}

export const WarningKinds = ({ kinds }: { kinds: readonly WarningKind[] }): JSX.Element => (
  <>
    {kinds.map(({ check, count, examples }) => (
      <section key={check}>
        <p>
          <strong>{`${grouped(String(count), grouping.value)} × ${check}`}</strong>
        </p>
        <ul class="warnings">
          {examples.map((example) => (
            <li key={example}>{example}</li>
          ))}
          {count > examples.length && (
            <li class="quiet">{`… and ${grouped(String(count - examples.length), grouping.value)} more`}</li>
          )}
        </ul>
      </section>
    ))}
  </>
)
