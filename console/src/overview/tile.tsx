/** One pin on the overview: its heading, its menu, and what it shows. */
import type { JSX } from 'preact'
import { reportOf } from '../catalogue.js'
import { account } from '../company.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import type { Answers } from './answers.js'
import { Body, hrefOf } from './body.js'
import { unitOfChart } from './chart.js'
import { asked, type Pin, periodInWords } from './definition.js'
import { definitionOf } from './store.js'

interface Props {
  readonly pin: Pin
  readonly from: Answers
  readonly span: number
  readonly isArranging: boolean
  readonly isMoving: boolean
  onMove(by: -1 | 1): void
  /** The pointer has taken the handle. */
  onDrag(event: PointerEvent): void
  onChange(): void
  onResize(size: NonNullable<Pin['size']>): void
  onRemove(): void
}

const SIZES = { small: 'Small', medium: 'Medium', large: 'Large' } as const

export function Tile(props: Props): JSX.Element {
  const { pin, from, span, isArranging, isMoving, onMove, onDrag } = props
  const definition = definitionOf(pin)
  const of = definition && asked(definition)
  const { kind, title } = pin
  return (
    <section
      class={`pin ${kind}${isMoving ? ' moving' : ''}`}
      style={{ gridColumn: `span ${span}` }}
      aria-label={title}
      data-pin
    >
      <header>
        {isArranging && (
          <button
            type="button"
            class="handle"
            aria-label={`Move ${title}`}
            title="Drag, or use the arrow keys"
            onPointerDown={onDrag}
            onKeyDown={(event) => {
              const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined
              if (by === undefined) return
              event.preventDefault()
              onMove(by)
            }}
          >
            <Icon name="grip" />
          </button>
        )}
        <h2>{of === undefined ? title : <a href={hrefOf(pin, of)}>{title}</a>}</h2>
        {of !== undefined && kind !== 'figure' && <small>{aboutOf(pin, of)}</small>}
        <TileMenu {...props} href={of && hrefOf(pin, of)} />
      </header>
      {of === undefined ? <Gone pin={pin} report={definition?.report} /> : <Body key={kind} {...{ pin, of, from }} />}
    </section>
  )
}

/** The currency and the period of a list or a chart. */
function aboutOf(pin: Pin, of: NonNullable<ReturnType<typeof asked>>): string {
  const currency = pin.kind === 'chart' ? unitOfChart(of, account.value?.currency ?? '') : undefined
  const isOfMoment = pin.kind === 'list' || pin.style === 'ages'
  return [currency, isOfMoment ? undefined : periodInWords(of)].filter(Boolean).join(' · ')
}

/** A pin without its view or its report stays until the user removes it. */
function Gone({ pin, report }: { pin: Pin; report: string | undefined }): JSX.Element {
  return (
    <p class="none quiet">
      {pin.view !== undefined && report === undefined
        ? 'Its saved view was deleted, or is no longer shared with you. Remove this pin, or ask the owner of the view.'
        : `You may not see ${reportOf(report ?? '')?.title ?? report} any more. Remove this pin, or ask an operator for access.`}
    </p>
  )
}

function TileMenu({
  pin,
  href,
  onMove,
  onChange,
  onResize,
  onRemove,
}: Props & { href: string | undefined }): JSX.Element {
  const { title, size = 'small' } = pin
  return (
    <Menu wordless end class="mini" label={<Icon name="more" />} title={`${title}: more`}>
      {(close) => {
        const item = (label: string, act: () => void, style = '') => (
          <button
            key={label}
            type="button"
            class={`item ${style}`}
            onClick={() => {
              close()
              act()
            }}
          >
            {label}
          </button>
        )
        return (
          <div class="items">
            {href !== undefined && (
              <a class="item" href={href}>
                Open the report
              </a>
            )}
            {item('Rename or show differently …', onChange)}
            {(Object.keys(SIZES) as (keyof typeof SIZES)[])
              .filter((one) => one !== size)
              .map((one) => item(`Width: ${SIZES[one].toLowerCase()}`, () => onResize(one)))}
            {item('Move before', () => onMove(-1))}
            {item('Move after', () => onMove(1))}
            {item('Remove', onRemove, 'negative')}
          </div>
        )
      }}
    </Menu>
  )
}
