/** The values of a row that a load changed, before and after. */
import type { JSX } from 'preact'
import type { Change } from '../differences.js'
import { labelOf } from '../labels.js'
import { formatted } from '../numbers.js'
import { grouping } from '../preferences.js'

export type SentFields = Readonly<
  Record<string, { readonly before: string | null; readonly after: string | null } | undefined>
>

/** Of a row that is new or gone, the fields that are seen at once. */
const FIRST = 8
/** So few more are seen at once, too. */
const FEW = 4

export function Fields({ fields, change }: { fields: SentFields; change: Change }): JSX.Element {
  const all = Object.entries(fields)
  const first = change === 'changed' || all.length <= FIRST + FEW ? all : all.slice(0, FIRST)
  const rest = all.slice(first.length)
  const list = (some: typeof all) => (
    <ul class="changes">
      {some.map(([name, both]) => (
        <li key={name}>
          <span class="quiet">{labelOf(name)}</span>{' '}
          {change === 'changed' ? (
            <span class="both">
              <del>
                <Value text={both?.before ?? null} />
              </del>
              <span class="unseen"> before, now </span>
              <ins>
                <Value text={both?.after ?? null} />
              </ins>
            </span>
          ) : change === 'gone' ? (
            <del>
              <Value text={both?.before ?? null} />
            </del>
          ) : (
            <Value text={both?.after ?? null} />
          )}
        </li>
      ))}
    </ul>
  )
  return (
    <div>
      {list(first)}
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          {list(rest)}
        </details>
      )}
    </div>
  )
}

/** As it is stored; a number with a fraction is grouped, and the zeros at its end are dimmed. */
function Value({ text }: { text: string | null }): JSX.Element {
  if (text === null || text === '') return <span class="absent">nothing</span>
  const [, number, zeros] = /^(?=.*\.)(-?\d+(?:\.\d*[1-9])?)(\.?0*)$/.exec(text) ?? []
  if (number === undefined) return <bdi>{text}</bdi>
  return (
    <span data-raw={text}>
      {formatted(number, grouping.value)}
      <span class="zeros">{zeros}</span>
    </span>
  )
}
