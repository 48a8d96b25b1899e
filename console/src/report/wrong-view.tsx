/** A view that names groups or figures that its report does not have, or compares without dates: each can be dropped. */
import type { JSX } from 'preact'
import type { Failure } from '../api.js'
import type { View } from '../ask.js'
import type { CatalogueReport, Values } from '../catalogue.js'
import { Icon } from '../parts/icons.js'
import { type Answer, fitting, listOf, pruned } from './answer.js'
import { hasRange } from './view.js'

interface Props {
  report: CatalogueReport
  values: Values
  view: View
  answer: Answer
  /** `This link` or `This view` */
  about: string
  onView: (view: View) => void
}

export function WrongView({ report, values, view, answer, about, onView }: Props): JSX.Element {
  const without = (field: 'group' | 'measures', text: string) => {
    const left = listOf(view[field]).filter((one) => one !== text)
    onView(pruned(report, values, { ...view, [field]: left.join() || undefined }))
  }
  const { wrong } = answer
  return (
    <div class="state" role="alert">
      <Icon name="warning" />
      {wrong.map(({ field, text }) => (
        <div key={`${field} ${text}`} class="wrong-part">
          <p>
            {field === 'group'
              ? `${about} groups by “${text}”, which ${report.title} does not have.`
              : `${about} has the figure “${text}”, which ${report.title} does not have.`}
          </p>
          <button type="button" class="button" onClick={() => without(field, text)}>
            Drop the {field === 'group' ? 'group' : 'figure'} {text}
          </button>
        </div>
      ))}
      {wrong.length === 0 && (
        <>
          <p>
            {hasRange(report)
              ? 'A comparison takes an earlier period from the dates: choose them above, or drop the comparison.'
              : `${report.title} has no dates, so it cannot be compared with an earlier period.`}
          </p>
          <button
            type="button"
            class="button"
            onClick={() => onView(pruned(report, values, { ...view, compare: undefined }))}
          >
            Drop the comparison
          </button>
        </>
      )}
    </div>
  )
}

/** A saved view that names what its report no longer has. */
export function OutdatedView({
  report,
  values,
  view,
  failure,
  onView,
}: Omit<Props, 'answer' | 'about'> & { failure: Failure }): JSX.Element {
  return (
    <div class="state" role="alert">
      <Icon name="warning" />
      <p>This view no longer fits {report.title}:</p>
      <ul class="faults">
        {failure.errors.map(({ field, message }) => (
          <li key={`${field} ${message}`}>
            <strong>{field}</strong> {message}
          </li>
        ))}
      </ul>
      <button type="button" class="button primary" onClick={() => onView(fitting(report, values, view))}>
        Drop what the report does not have
      </button>
    </div>
  )
}
