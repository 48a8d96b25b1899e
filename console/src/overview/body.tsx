/** The figure, list or chart of a pin, while it is fetched, when it has arrived, and when it has failed. */
import type { ComponentChildren, JSX } from 'preact'
import { asFailure } from '../api.js'
import { account } from '../company.js'
import { formatted, grouped, short } from '../numbers.js'
import { Bars, Months, Sparkline } from '../parts/charts.js'
import { Icon } from '../parts/icons.js'
import { useLasting } from '../parts/states.js'
import { currencySign } from '../people.js'
import { grouping } from '../preferences.js'
import { withoutCancelled } from '../report/answer.js'
import { type Answer, type Answers, type Asking, useAnswer } from './answers.js'
import { agesOf, barsOf, pathOfChart, seriesOf, styleOf, unitOfChart } from './chart.js'
import { type Asked, beforeInWords, type Pin, pageOf, periodInWords, ungrouped } from './definition.js'
import { askedTrend, changeOf, type Figure, figureOf, pathOfFigure, pathOfTrend, trendOf } from './figure.js'
import { linesOf, pathOfList } from './list.js'

interface Props {
  readonly pin: Pin
  readonly of: Asked
  readonly from: Answers
}

/** Skeletons show after this time, so that quick answers show no sign of waiting. */
const SKELETON_MS = 150

const signOfAccount = (): string => currencySign(account.value?.currency) ?? ''

export function Body(props: Props): JSX.Element {
  if (props.pin.kind === 'figure') return <FigureBody {...props} />
  return props.pin.kind === 'list' ? <ListBody {...props} /> : <ChartBody {...props} />
}

/** The page that a pin leads to. */
export function hrefOf(pin: Pin, of: Asked): string {
  if (pin.kind === 'figure') return pageOf(ungrouped({ ...of, compare: undefined }))
  return pin.kind === 'list' || of.group.length === 0
    ? pageOf(of)
    : pageOf(of, { lines: 'lines', bars: 'bars', columns: 'bars', ages: undefined }[styleOf(pin, of)])
}

/** Draws an answer; anything that cannot be drawn is a failure of this pin alone. */
function Answered({
  asking: { answer, failure, again },
  skeleton,
  children,
}: {
  asking: Asking
  skeleton: JSX.Element
  children: (answer: Answer) => ComponentChildren
}): JSX.Element {
  const isSlow = useLasting(answer === undefined && failure === undefined, SKELETON_MS)
  if (failure !== undefined)
    return (
      <div class="failed" role="alert">
        <p>{failure.message}</p>
        {failure.requestId && <small>Request {failure.requestId}</small>}
        <button type="button" class="link" onClick={again}>
          Try again
        </button>
      </div>
    )
  if (answer === undefined)
    return (
      <div class={isSlow ? 'waits' : 'waits early'} aria-busy="true">
        {skeleton}
      </div>
    )
  try {
    return <>{children(answer)}</>
  } catch (error) {
    return (
      <div class="failed" role="alert">
        <p>{asFailure(error).message}</p>
      </div>
    )
  }
}

// Figures -----------------------------------------------------------------------------------------------------------

function FigureBody({ pin, of, from }: Props): JSX.Element {
  const asking = useAnswer(from, pathOfFigure(pin, of))
  return (
    <Answered
      asking={asking}
      skeleton={
        <>
          <span class="skeleton value" />
          <span class="skeleton" />
        </>
      }
    >
      {(answer) => (
        <FigureShown
          {...{ pin, of, from }}
          figure={figureOf(pin, of, answer)}
          leftOut={withoutCancelled(answer.rows)}
        />
      )}
    </Answered>
  )
}

function shownNumber(value: string, unit: string | undefined, isMoney: boolean): string {
  if (unit === '%') return value
  if (!isMoney && /^-?\d+$/.test(value)) return formatted(value, grouping.value)
  return short(Number(value), grouping.value)
}

function FigureShown({
  pin,
  of,
  from,
  figure,
  leftOut,
}: Props & { figure: Figure; leftOut: string | undefined }): JSX.Element {
  const { value, unit, isMoney, others } = figure
  const currency = isMoney ? signOfAccount() : ''
  const before = beforeInWords(of)
  const change = changeOf(figure, pin.good, (n) => `${currency}${short(n, grouping.value)}`)
  const exact = `${currency}${formatted(value, grouping.value)}${unit ? ` ${unit}` : ''}`
  const period = periodInWords(of)
  return (
    <>
      <a class="value" href={hrefOf(pin, of)} title={exact}>
        <span class="unseen">{pin.title}: </span>
        {currency && <small class="before">{currency}</small>}
        {shownNumber(value, unit, isMoney)}
        {unit && <small> {unit}</small>}
      </a>
      {others.length > 0 && (
        <span class="quiet also">
          {unit === '%' && figure.ofUnit !== '' && `of ${figure.ofUnit} · `}
          {others
            .map((one) =>
              unit === '%' ? `${one.unit} ${one.value} %` : `${shownNumber(one.value, one.unit, false)} ${one.unit}`,
            )
            .join(' · ')}
        </span>
      )}
      <span class="change">
        {change !== undefined && (
          <span class={`delta ${change.tone}`}>
            {change.direction > 0 ? '▲' : change.direction < 0 ? '▼' : '='}{' '}
            {change.direction === 0 ? 'no change' : change.text}
            {change.word && <span class="unseen"> {change.word}</span>}
          </span>
        )}{' '}
        {change !== undefined && before !== undefined && <span class="quiet">vs {before}</span>}
        {change === undefined && period !== undefined && <span class="quiet">{period}</span>}
      </span>
      {change !== undefined && period !== undefined && <small class="period">{period}</small>}
      {leftOut !== undefined && <small class="period">{leftOut}</small>}
      <Trend {...{ pin, from }} unit={unit} />
    </>
  )
}

function Trend({ pin, from, unit }: { pin: Pin; from: Answers; unit: string | undefined }): JSX.Element | null {
  const of = askedTrend(pin)
  const { answer } = useAnswer(from, of && pathOfTrend(of))
  if (of === undefined) return null
  const points = answer === undefined ? [] : trendOf(pin, of, answer, unit)
  return <Sparkline points={points} label={`${pin.title} by month${periodOf(of)}`} />
}

const periodOf = (of: Asked): string => {
  const words = periodInWords(of)
  return words === undefined ? '' : `, ${words}`
}

// Lists -------------------------------------------------------------------------------------------------------------

function ListBody({ pin, of, from }: Props): JSX.Element {
  const asking = useAnswer(from, pathOfList(of))
  return (
    <Answered
      asking={asking}
      skeleton={
        <ul>
          {[0, 1, 2, 3, 4].map((one) => (
            <li key={one}>
              <span class="what">
                <span class="skeleton" />
                <span class="skeleton short" />
              </span>
            </li>
          ))}
        </ul>
      }
    >
      {({ rows, total }) =>
        total === 0 ? (
          <p class="none quiet">
            <Icon name="check" /> None
          </p>
        ) : (
          <>
            <ul>
              {linesOf(of, rows, grouping.value, signOfAccount()).map(({ label, details, amount, unit, href }, at) => (
                <li key={`${at} ${label}`}>
                  <a href={href} title={[label, ...details].join('\n')}>
                    <span class="what">
                      <span class="label">{label}</span>
                      <small>
                        {details.map((one, i) => (
                          <>
                            <span key={one}>{`${one}${i + 1 < details.length ? ' ·' : ''}`}</span>{' '}
                          </>
                        ))}
                      </small>
                    </span>
                    <span class="amount">
                      {amount}{' '}
                      <small>
                        {unit}
                        {pin.note && ` ${pin.note}`}
                      </small>
                    </span>
                  </a>
                </li>
              ))}
            </ul>
            <a class="all" href={pageOf(of)}>
              Show all {grouped(String(total), grouping.value)}
            </a>
          </>
        )
      }
    </Answered>
  )
}

// Charts ------------------------------------------------------------------------------------------------------------

function ChartBody({ pin, of, from }: Props): JSX.Element {
  const style = styleOf(pin, of)
  const asking = useAnswer(from, pathOfChart(of, style))
  return (
    <Answered asking={asking} skeleton={<span class="skeleton chart-waits" />}>
      {(answer) => {
        if (answer.total === 0) return <p class="none quiet">Nothing in this period.</p>
        const leftOut = withoutCancelled(answer.rows)
        if (style === 'columns' || style === 'lines')
          return (
            <>
              <Months
                kind={style === 'lines' ? 'line' : 'column'}
                title={titleOf(pin, of)}
                series={seriesOf(of, answer)}
              />
              {leftOut && <small class="quiet">{leftOut}</small>}
            </>
          )
        const { bars, names } = style === 'ages' ? agesOf(of, answer) : barsOf(of, answer)
        return (
          <>
            <Bars title={titleOf(pin, of)} names={names} bars={bars} />
            {leftOut && <small class="quiet">{leftOut}</small>}
            {style === 'bars' && answer.total > bars.length && (
              <a class="all" href={hrefOf(pin, of)}>
                Show all {grouped(String(answer.total), grouping.value)}
              </a>
            )}
          </>
        )
      }}
    </Answered>
  )
}

const titleOf = (pin: Pin, of: Asked): string => {
  const unit = unitOfChart(of, account.value?.currency ?? '')
  return unit ? `${pin.title}, in ${unit}` : pin.title
}
