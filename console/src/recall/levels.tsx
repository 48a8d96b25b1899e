/** The genealogy as a list, level by level, for screens that have no room for the picture. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatted, withoutZeros } from '../numbers.js'
import { grouping } from '../preferences.js'
import { type Edge, type Genealogy, type Level, levelsOf } from './genealogy.js'

const number = (qty: string): string => formatted(withoutZeros(qty), grouping.value)

/** `320 KG`, `60 PCS back` */
export const inWords = ({ qty, unit, isReturn }: Edge): string => `${number(qty)} ${unit}${isReturn ? ' back' : ''}`

/** `105 KG here` */
export function stockInWords(stock: string): string {
  const [qty = '', ...unit] = stock.split(' ')
  return `${number(qty)} ${unit.join(' ')} here`
}

interface Props {
  genealogy: Genealogy
  onUnfold(column: number): void
}

export function Levels({ genealogy, onUnfold }: Props): JSX.Element {
  const levels = useMemo(() => levelsOf(genealogy), [genealogy])
  return (
    <ol class="levels">
      {levels.map(({ heading, nodes }, at) => (
        <li key={at}>
          <h3>{heading}</h3>
          <ul>
            {nodes.map((node) => (
              <li key={node.id} class={`level-node ${node.kind}`}>
                <NodeOf node={node} onUnfold={() => onUnfold(node.column)} />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  )
}

type LevelNode = Level['nodes'][number]

function NodeOf({ node, onUnfold }: { node: LevelNode; onUnfold(): void }): JSX.Element {
  const { kind, title, detail, stock, url, ways } = node
  if (kind === 'more')
    return (
      <button type="button" class="link" onClick={onUnfold}>
        {title}: show all
      </button>
    )
  return (
    <>
      <div class="level-head">
        {url === undefined ? (
          <strong>
            <bdi>{title}</bdi>
          </strong>
        ) : (
          <a href={url}>
            <bdi>{title}</bdi>
          </a>
        )}
        {stock !== undefined && <span class="stock">{stockInWords(stock)}</span>}
      </div>
      <div class="ways">
        {detail !== '' && <bdi>{detail}</bdi>}
        {ways.map((way) => (
          <span key={`${way.from} ${way.to} ${way.isReturn}`}>
            {way.qty === '' ? 'several units' : inWords(way)} {way.isReturn || way.to === node.id ? 'of' : 'into'}{' '}
            <bdi>{way.other.detail || way.other.title}</bdi>
          </span>
        ))}
      </div>
    </>
  )
}
