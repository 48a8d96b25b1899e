/** Empty, failed and slow states of a page. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isCalendarDate } from '../../../src/calendar.js'
import type { Failure } from '../api.js'
import { monthOf, today } from '../dates.js'
import { labelOf } from '../labels.js'
import { place, setQuery } from '../location.js'
import { isolated } from '../people.js'
import { Icon } from './icons.js'

const DATES = ['from_date', 'to_date']

/** Of a parameter of the URL that is no day. */
function noDay(field: string): string | undefined {
  const text = place.value.query.get(field) ?? ''
  return isCalendarDate(text) ? undefined : `${isolated(text)} is not a day of the calendar`
}

/** Keeps everything else of the view. */
function showThisMonth(): void {
  const { from } = monthOf(today())
  setQuery({ from_date: from, to_date: today() })
}

interface FailedProps {
  failure: Failure
  again?: (() => void) | undefined
  /** Offered if the request itself is invalid, because sending it again does not help. */
  onReset?: (() => void) | undefined
  /** The heading, where the failure is the whole page. */
  title?: string | undefined
}

export function Failed({ failure, again, onReset, title }: FailedProps): JSX.Element {
  const wrong = failure.status === 422 && onReset !== undefined
  const dates = wrong && failure.errors.length > 0 && failure.errors.every(({ field }) => DATES.includes(field))
  return (
    <div class="state" role="alert">
      <Icon name="warning" />
      {title !== undefined && <h1>{title}</h1>}
      {wrong && failure.errors.length > 0 ? (
        <>
          <p>
            {dates
              ? 'The dates of this link cannot be used:'
              : 'This link asks for something that the report does not have:'}
          </p>
          <ul class="faults">
            {failure.errors.map(({ field, message }) => (
              <li key={`${field} ${message}`}>
                <strong>{dates ? labelOf(field) : field}</strong> {dates ? (noDay(field) ?? message) : message}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p>{failure.message}</p>
      )}
      {failure.requestId && !wrong && (
        <p class="quiet">Request {failure.requestId}: name it when you ask your operator.</p>
      )}
      {wrong ? (
        <button type="button" class="button primary" onClick={dates ? showThisMonth : onReset}>
          {dates ? 'Show this month' : 'Reset this view'}
        </button>
      ) : (
        again && (
          <button type="button" class="button" onClick={again}>
            Try again
          </button>
        )
      )}
    </div>
  )
}

/** `title` is the heading, where the state is the whole page. */
export const Nothing = ({ title, children }: { title?: string; children: ComponentChildren }): JSX.Element => (
  <div class="state" role="status">
    {title !== undefined && <h1>{title}</h1>}
    {children}
  </div>
)

/** True once `busy` has lasted `ms` milliseconds, so that quick work shows no sign of waiting. */
export function useLasting(busy: boolean, ms: number): boolean {
  const [lasting, setLasting] = useState(false)
  useEffect(() => {
    setLasting(false)
    if (!busy) return
    const timer = setTimeout(() => setLasting(true), ms)
    return () => clearTimeout(timer)
  }, [busy, ms])
  return lasting
}
