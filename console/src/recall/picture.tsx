/** The genealogy as a picture: batches in columns, quantities on the lines between them. Where there is no room for it, a list is shown first. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { drawn, folded, GAP, type Genealogy, type Line, NODE_WIDTH, type Placed } from './genealogy.js'
import { inWords, Levels, stockInWords } from './levels.js'

/** Down to this scale, the whole picture is shown at first. */
const LEGIBLE = 0.75

/** A narrower page shows less than two columns of the picture. */
const LEAST_ROOM = 2 * NODE_WIDTH + GAP

interface Props {
  genealogy: Genealogy
  onUnfold(column: number): void
}

export function GenealogyOf({ genealogy }: Pick<Props, 'genealogy'>): JSX.Element {
  const unfolded = useSignal<ReadonlySet<number>>(new Set())
  const asPicture = useSignal(false)
  const isNarrow = useSignal(false)
  const box = useRef<HTMLDivElement>(null)
  const shown = useMemo(() => folded(genealogy, unfolded.value), [genealogy, unfolded.value])
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const measure = () => {
      isNarrow.value = element.clientWidth < LEAST_ROOM
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const props = {
    genealogy: shown,
    onUnfold: (column: number) => {
      unfolded.value = new Set([...unfolded.value, column])
    },
  }
  return (
    <div ref={box}>
      {isNarrow.value && !asPicture.value ? <Levels {...props} /> : <Picture {...props} />}
      {isNarrow.value && (
        <button
          type="button"
          class="link zoom"
          onClick={() => {
            asPicture.value = !asPicture.value
          }}
        >
          {asPicture.value ? 'As a list' : 'As a picture'}
        </button>
      )}
    </div>
  )
}

/** Drawn at full size and scrolled, or made smaller until all of it is in view. */
function Picture({ genealogy, onUnfold }: Props): JSX.Element {
  const at = useSignal<string | undefined>(undefined)
  const whole = useSignal<boolean | undefined>(undefined)
  const room = useSignal(Infinity)
  const box = useRef<HTMLDivElement>(null)
  const picture = useMemo(() => drawn(genealogy), [genealogy])
  useEffect(() => {
    // The start is in view, with what it came from to its left.
    const element = box.current
    if (element === null) return
    element.scrollLeft = picture.start.x - (element.clientWidth - NODE_WIDTH) / 2
    element.scrollTop = picture.start.y - element.clientHeight / 2
  }, [])
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      const { paddingLeft, paddingRight } = getComputedStyle(element)
      room.value = element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const fits = picture.width <= room.value
  const isWhole = whole.value ?? room.value >= LEGIBLE * picture.width
  const scale = isWhole && !fits ? room.value / picture.width : 1
  const touches = ({ from, to }: Line) => at.value !== undefined && (from === at.value || to === at.value)
  const show = (id: string | undefined) => () => {
    at.value = id
  }
  return (
    <>
      <div
        class={at.value === undefined ? 'genealogy' : 'genealogy pointed'}
        role="group"
        aria-label="Genealogy: vendors on the left, customers on the right"
        ref={box}
        tabIndex={0}
      >
        <div style={{ height: `${picture.height * scale}px` }}>
          <div
            class="canvas"
            style={{
              width: `${picture.width}px`,
              height: `${picture.height}px`,
              transform: scale === 1 ? 'none' : `scale(${scale})`,
            }}
          >
            <svg width={picture.width} height={picture.height} aria-hidden="true">
              {picture.lines.map((line) => (
                <path
                  key={`${line.from} ${line.to} ${line.isReturn}`}
                  class={['line', line.isBack && 'back', touches(line) && 'on'].filter(Boolean).join(' ')}
                  d={curve(line)}
                />
              ))}
              {picture.lines.map((line) =>
                line.label === undefined ? null : (
                  <text
                    key={`${line.from} ${line.to} ${line.isReturn}`}
                    class={touches(line) ? 'on' : undefined}
                    x={line.label.x}
                    y={line.label.y}
                    text-anchor={line.label.end ? 'end' : 'start'}
                  >
                    {inWords(line)}
                  </text>
                ),
              )}
            </svg>
            {picture.nodes.map((node) => (
              <NodeOf
                key={node.id}
                node={node}
                lines={picture.lines}
                onPoint={show(node.id)}
                onLeave={show(undefined)}
                onUnfold={() => onUnfold(node.column)}
              />
            ))}
          </div>
        </div>
      </div>
      {!fits && (
        <button
          type="button"
          class="link zoom"
          onClick={() => {
            whole.value = !isWhole
          }}
        >
          {isWhole ? 'Full size' : 'Whole picture'}
        </button>
      )}
    </>
  )
}

function curve({ x1, y1, x2, y2 }: Line): string {
  const bend = Math.max(40, Math.abs(x2 - x1) / 2) * (x2 >= x1 ? 1 : -1)
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}

interface NodeProps {
  node: Placed
  lines: readonly Line[]
  onPoint(): void
  onLeave(): void
  onUnfold(): void
}

function NodeOf({ node, lines, onPoint, onLeave, onUnfold }: NodeProps): JSX.Element {
  const { kind, title, detail, stock } = node
  const about = lines.filter(({ from, to, qty }) => qty !== '' && (from === node.id || to === node.id)).map(inWords)
  const common = {
    class: `node ${kind}`,
    style: { left: `${node.x}px`, top: `${node.y}px`, width: `${NODE_WIDTH}px`, height: `${node.height}px` },
    title: [title, detail, about.slice(0, 8).join(', ')].filter(Boolean).join('\n'),
    onPointerEnter: onPoint,
    onPointerLeave: onLeave,
    onFocus: onPoint,
    onBlur: onLeave,
  }
  const inside = (
    <>
      <strong class="clip">
        <bdi>{title}</bdi>
      </strong>
      {detail !== '' && (
        <span class="detail">
          <bdi class="clip">{detail}</bdi>
          {stock !== undefined && <span class="stock">{stockInWords(stock)}</span>}
        </span>
      )}
    </>
  )
  if (kind === 'more')
    return (
      <button type="button" {...common} onClick={onUnfold}>
        {inside}
      </button>
    )
  if (node.url !== undefined)
    return (
      <a href={node.url} {...common}>
        {inside}
      </a>
    )
  return <div {...common}>{inside}</div>
}
